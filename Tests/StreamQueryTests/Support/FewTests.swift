import Testing

@testable import StreamQuery

struct FewTests {
  @Test func oneElementTakesNoAllocation() {
    expectEqual(MemoryLayout<Few<Waiter>>.size, 2 * MemoryLayout<Int>.size)
    var few = Few("only")
    expect(few.count == 1 && few.first == "only" && few.last == "only")
    few.removeAll { $0 == "only" }
    expect(few.isEmpty && few.first == nil)
  }

  @Test(arguments: Seeds.few(2))
  func agreesWithAnArrayAfterEveryChange(_ seed: UInt64) {
    var random = SmallRandom(seed: seed)
    var (few, array) = (Few<Int>(), [Int]())
    for number in 0..<200 {
      let limit = random.next(below: 6)
      switch random.next(below: 8) {
      case 0:
        few.removeAll { $0 % 6 < limit }
        array.removeAll { $0 % 6 < limit }
      case 1:
        few = few.filter { $0 % 6 != limit }
        array = array.filter { $0 % 6 != limit }
      case 2:
        let end = min(limit, array.count)
        few.replaceSubrange(end / 2..<end, with: [number])
        array.replaceSubrange(end / 2..<end, with: [number])
      case 3 where limit == 0: (few, array) = (Few(number), [number])
      default:
        few.append(number)
        array.append(number)
      }
      expect(Array(few) == array && few.count == array.count && few.last == array.last)
      expectEqual(few.indices.map { few[$0] }, array)
    }
  }
}
