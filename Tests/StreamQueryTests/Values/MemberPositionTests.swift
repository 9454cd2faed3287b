import Testing

@testable import StreamQuery

struct MemberPositionTests {
  @Test(arguments: [0, 1, 0xFFFF, 0x1_0000, 0xFF_FFFF] as [Int32], [0, 1, .max] as [Int32])
  func aPlaceKnowsItsGroupAndPosition(group: Int32, position: Int32) {
    let place = MemberPosition(position, in: group)
    expect(place.group == group && place.position == position)
    expect(place != MemberPosition(position, in: group ^ 1))
  }

  @Test func aWaitIsOneWord() {
    expectEqual(MemoryLayout<SuspendedObserver?>.size, MemoryLayout<Int>.size)
  }
}
