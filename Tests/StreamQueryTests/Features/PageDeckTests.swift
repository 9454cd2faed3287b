import Testing

@testable import StreamQuery

struct PageDeckTests {
  @Test(arguments: [0, 1, 31, 32, 33, 64, 100])
  func holdsWhatAnArrayWouldHold(count: Int) {
    let array = Array(0..<count)
    let deck = ChunkedDeque(array)
    expectEqual(deck.count, count)
    expectEqual(deck.elements, array)
    expectEqual(array.indices.map { deck[$0] }, array)
  }

  @Test(arguments: Seeds.few(4))
  func changesAsAnArrayDoes(seed: UInt64) {
    var random = seed
    func next(_ bound: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((random >> 33) % UInt64(bound))
    }
    var array: [Int] = Array(0..<next(80))
    var deck = ChunkedDeque(array)
    for step in 0..<400 {
      switch next(7) {
      case 0, 1:
        array.append(step)
        deck.append(step)
      case 2, 3:
        array.insert(step, at: 0)
        deck.prepend(step)
      case 4:
        let count = next(3) == 0 ? next(60) : next(3)
        array.removeFirst(min(count, array.count))
        deck.removeFirst(count)
      case 5:
        let count = next(3) == 0 ? next(60) : next(3)
        array.removeLast(min(count, array.count))
        deck.removeLast(count)
      default:
        guard !array.isEmpty else { break }
        let index = next(array.count)
        array[index] = -step
        deck[index] = -step
      }
      expectEqual(deck.count, array.count)
      expectEqual(deck.elements, array)
      expectEqual(array.indices.map { deck[$0] }, array)
      #expect(deck.middle.allSatisfy { $0.count == 32 })
      #expect(deck.head.count <= 32 && deck.tail.count <= 32)
    }
  }

  @Test func aChangedCopyLeavesTheOriginalAlone() {
    let run = Pages((1...70).map { "p\($0)" }, params: Array(1...70))
    var longer = run
    longer?.append(Pages("p71", param: 71), limit: 50)
    expectEqual(run?.pages.count, 70)
    expectEqual(run?.firstPage, "p1")
    expectEqual(longer?.pages, (22...71).map { "p\($0)" })
    expectEqual(longer?.params, Array(22...71))
    expectEqual(longer?.lastPage, "p71")
  }

  @Test func aRunWithoutPagesOrWithUnevenParametersIsNone() {
    expect(Pages<String, Int>([], params: []) == nil)
    expectNil(Pages(["a"], params: [1, 2]))
  }

  @Test func changingEachPageIsSeenByLaterReadersOnly() throws {
    var run = try #require(Pages((1...40).map { $0 * 10 }, params: Array(1...40)))
    let before = run.pages
    run.updateEach { page, param in if param == 40 { page = 0 } }
    expectEqual(before.last, 400)
    expectEqual(run.pages.last, 0)
    expectEqual(run.pages.dropLast(), before.dropLast())
  }

  @Test func aPrefixKeepsAtLeastOnePage() throws {
    let run = try #require(Pages(["a", "b", "c"], params: [1, 2, 3]))
    expectEqual(run.prefix(2).params, [1, 2])
    expectEqual(run.prefix(0).params, [1])
    expectEqual(run.prefix(9), run)
  }
}
