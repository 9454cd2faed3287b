import Testing

@testable import StreamQuery

struct RareTests {
  @Test func itIsOneWordHoweverLargeTheValueIs() {
    typealias Large = (Int, Int, Int, Int, Int, Int, Int, Int)
    expectEqual(MemoryLayout<Rare<Large>>.size, MemoryLayout<Int>.size)
  }

  @Test func aValueIsChangedInPlaceAndCopied() {
    var rare = Rare<[Int]>()
    expect(rare.isEmpty && rare.copy == nil)
    rare.copy = [1]
    rare.value.append(2)
    let copy = rare.copy
    rare.copy = [3]
    expect(!rare.isEmpty && copy == [1, 2] && rare.value == [3])
    rare.copy = nil
    expect(rare.isEmpty && rare == Rare())
  }
}
