import Testing

@testable import StreamQuery

struct GroupPlaceTests {
  @Test(arguments: [0, 1, 0xFFFF, 0x1_0000, 0xFF_FFFF] as [Int32], [0, 1, .max] as [Int32])
  func aPlaceKnowsItsGroupAndPosition(group: Int32, position: Int32) {
    let place = GroupPlace(position, in: group)
    #expect(place.group == group && place.position == position)
    #expect(place != GroupPlace(position, in: group ^ 1))
  }

  @Test func aWaitIsOneWord() {
    #expect(MemoryLayout<SuspendedObserver?>.size == MemoryLayout<Int>.size)
  }
}
