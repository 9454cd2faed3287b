import Testing

@testable import StreamQuery

/// A page tells what it was fetched by, and when, so that a page beside a wrong parameter shows.
private struct Page: Equatable, Sendable {
  var param: Int
  var round: Int
}

private typealias Loop = PageLoop<Page, Int>
private typealias Run = Pages<Page, Int>

/// Pages `1...last`, forwards and backwards.
private func rules(last: Int, maxPages: Int? = nil, firstOnly: Bool = false) -> PageRules<Page, Int>
{
  var rules = PageRules<Page, Int>(
    maxPages: maxPages,
    next: { $0.lastParam < last ? $0.lastParam + 1 : nil },
    previous: { $0.firstParam > 1 ? $0.firstParam - 1 : nil }
  )
  rules.refetchesFirstPageOnly = firstOnly
  return rules
}

private func run(_ params: some Sequence<Int>, round: Int = 0) -> Run? {
  let params = Array(params)
  return Run(params.map { Page(param: $0, round: round) }, params: params)
}

/// Fetches until the loop is done; pages of a failed attempt are those before `failingAt`.
private func play(_ loop: inout Loop, round: Int, failingAt failure: Int? = nil) -> [Int] {
  var fetched: [Int] = []
  while case .fetch(let param) = loop.step() {
    if fetched.count == failure { return fetched }
    fetched.append(param)
    loop.arrived(Page(param: param, round: round), param: param)
  }
  return fetched
}

private func isAligned(_ run: Run) -> Bool {
  run.pages.map(\.param) == run.params && run.pages.count == run.params.count
    && zip(run.params, run.params.dropFirst()).allSatisfy { $0 + 1 == $1 }
}

struct PageLoopTests {
  @Test(
    "I02 I07 T74: a refresh fetches as many pages as there were from the first stored parameter"
  )
  func refreshFetchesAsManyPagesAsThereWere() throws {
    var loop = Loop(
      present: run(3...5),
      direction: nil,
      pageCount: nil,
      rules: rules(last: 9),
      initialParam: 1
    )
    expectEqual(play(&loop, round: 1), [3, 4, 5])
    expectEqual(loop.landed(on: run(3...5)), run(3...5, round: 1))
  }

  @Test("T74: a refresh ends early where parameters end")
  func refreshEndsEarlyWhereParametersEnd() {
    var loop = Loop(
      present: run(1...4),
      direction: nil,
      pageCount: nil,
      rules: rules(last: 2),
      initialParam: 1
    )
    expectEqual(play(&loop, round: 1), [1, 2])
    expectEqual(loop.landed(on: run(1...4)), run(1...2, round: 1))
  }

  @Test("T40: a load of several pages starts at the initial parameter")
  func loadOfSeveralPages() {
    var loop = Loop(
      present: nil,
      direction: nil,
      pageCount: 3,
      rules: rules(last: 9),
      initialParam: 2
    )
    expectEqual(play(&loop, round: 1), [2, 3, 4])
  }

  @Test(arguments: [0, -5]) func aSenselessCountLoadsOnePage(count: Int) {
    var loop = Loop(
      present: nil,
      direction: .next,
      pageCount: count,
      rules: rules(last: 9),
      initialParam: 1
    )
    expectEqual(play(&loop, round: 1), [1])
  }

  @Test("I05: past the end there is nothing to fetch and nothing to land")
  func pastTheEndThereIsNothing() {
    for direction in [PageDirection.next, .previous] {
      var loop = Loop(
        present: run(1...2),
        direction: direction,
        pageCount: nil,
        rules: rules(last: 2),
        initialParam: 1
      )
      expectEmpty(play(&loop, round: 1))
      expectNil(loop.landed(on: run(1...2)))
    }
  }

  @Test func withoutPreviousParametersThereIsNoPreviousPage() {
    var rules = rules(last: 9)
    rules.previous = nil
    let loop = Loop(
      present: run(5...6),
      direction: .previous,
      pageCount: nil,
      rules: rules,
      initialParam: 1
    )
    guard case .nothing = loop.step() else {
      Issue.record("there is no page to fetch")
      return
    }
  }

  @Test("features 3.18: the first page alone is fetched, and the others stay")
  func firstPageOnly() {
    var loop = Loop(
      present: run(2...4),
      direction: nil,
      pageCount: nil,
      rules: rules(last: 9, firstOnly: true),
      initialParam: 1
    )
    expectEqual(play(&loop, round: 1), [2])
    let landed = loop.landed(on: run(2...4))
    expectEqual(landed?.pages.map(\.round), [1, 0, 0])
    expectEqual(landed?.params, [2, 3, 4])
  }

  @Test func aPageJoinsThePagesThatWereUpdatedMeanwhile() {
    var loop = Loop(
      present: run(1...2),
      direction: .next,
      pageCount: nil,
      rules: rules(last: 9),
      initialParam: 1
    )
    _ = play(&loop, round: 1)
    let landed = loop.landed(on: run(1...2, round: 7))
    expectEqual(landed?.pages.map(\.round), [7, 7, 1])
    expectEqual(landed?.params, [1, 2, 3])
  }

  @Test func aPageThatNoLongerFollowsLandsWithThoseThatItFollowed() {
    for (direction, written) in [(PageDirection.next, 3...3), (.previous, 4...4)] {
      var loop = Loop(
        present: run(3...4),
        direction: direction,
        pageCount: nil,
        rules: rules(last: 9),
        initialParam: 1
      )
      _ = play(&loop, round: 1)
      let landed = loop.landed(on: run(written, round: 7))
      expectEqual(landed?.params, direction == .next ? [3, 4, 5] : [2, 3, 4])
      expectEqual(landed?.pages.map(\.round).sorted(), [0, 0, 1])
    }
  }

  /// Every small world: what is cached, what is asked for, where parameters end, where an attempt
  /// fails, and what is written meanwhile.
  @Test("I01 I08 T77: pages and parameters are aligned in every small world")
  func pagesAndParametersStayAlignedInEveryWorld() {
    var worlds = 0
    for length in 0...4 {
      for first in 1...3 {
        for last in 1...6 {
          for maxPages in [nil, 1, 2, 3] {
            for direction in [nil, PageDirection.next, .previous] {
              for count in [nil, 1, 3] {
                for failure in [nil, 0, 1, 2] {
                  for firstOnly in [false, true] {
                    worlds += 1
                    check(
                      first..<first + length,
                      rules(last: last, maxPages: maxPages, firstOnly: firstOnly),
                      direction: direction,
                      count: count,
                      failure: failure
                    )
                  }
                }
              }
            }
          }
        }
      }
    }
    expectEqual(worlds, 25_920)
  }

  private func check(
    _ params: Range<Int>,
    _ rules: PageRules<Page, Int>,
    direction: PageDirection?,
    count: Int?,
    failure: Int?
  ) {
    let present = run(params)
    var loop = Loop(
      present: present,
      direction: direction,
      pageCount: count,
      rules: rules,
      initialParam: 1
    )
    var fetched = play(&loop, round: 1, failingAt: failure)
    // A retry goes on at the page that failed: no page is fetched twice.
    fetched += play(&loop, round: 2)
    let isUnbroken = zip(fetched, fetched.dropFirst()).allSatisfy { $0 + 1 == $1 }
    let adds = direction != nil && present != nil
    guard let landed = loop.landed(on: present) else {
      let hasNone =
        direction == .next ? rules.next : { run in rules.previous?(run) }
      if !adds || !fetched.isEmpty || present.flatMap(hasNone) != nil {
        Issue.record("nothing landed: \(params) \(String(describing: direction))")
      }
      return
    }
    let limit = rules.maxPages ?? .max
    let isShortEnough =
      landed.count <= limit || (rules.refetchesFirstPageOnly && landed.count == params.count)
    let keepsTheNewPage = fetched.last.map { landed.params.contains($0) } ?? false
    guard isAligned(landed), isUnbroken, isShortEnough, keepsTheNewPage else {
      Issue.record(
        """
        \(params), max \(limit), \(String(describing: direction)), count \
        \(String(describing: count)), failing at \(String(describing: failure)): \
        fetched \(fetched), landed \(landed)
        """
      )
      return
    }
    if adds, landed.count == limit {
      // The far end went.
      let isAtTheEnd = fetched == [direction == .next ? landed.lastParam : landed.firstParam]
      if !isAtTheEnd { Issue.record("the page at the wrong end went: \(landed)") }
    }
  }
}
