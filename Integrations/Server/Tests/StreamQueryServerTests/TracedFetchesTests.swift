import Testing

@testable import StreamQueryServer

/// Which callers are linked to which span, whenever the events are delivered.
struct TracedFetchesTests {
  private var fetches = TracedFetches<Int, String, String>(limit: 3)

  /// The receiver before this one is slow.
  @Test mutating func whoJoinsBeforeTheStartIsAnnouncedIsLinked() {
    #expect(fetches.joined(1, from: "ada") == nil)
    fetches.started(1)
    #expect(fetches.joined(1, from: "bob") == nil)
    guard case .opens = fetches.attemptBegan(1) else {
      Issue.record("there is no span yet")
      return
    }
    #expect(fetches.opened(1, "span") == ["ada", "bob"])
    #expect(fetches.joined(1, from: "cyd") == "span")
    #expect(fetches.joined(1, from: "dan") == nil)
    #expect(fetches.ended(1)?.joined == 4)
  }

  @Test mutating func whoComesTooLateLeavesNothingBehind() {
    fetches.started(1)
    _ = fetches.ended(1)
    #expect(fetches.joined(1, from: "ada") == nil)
    #expect(fetches.count == 0)
    guard case .over = fetches.attemptBegan(1) else {
      Issue.record("it is over")
      return
    }
  }

  @Test mutating func whatNoEventTellsOfIsBounded() {
    typealias Fetches = TracedFetches<Int, String, String>
    for fetch in 0..<Fetches.memory * 10 {
      fetches.started(fetch)
      _ = fetches.ended(fetch)
    }
    for fetch in 0..<Fetches.memory * 8 { _ = fetches.joined(fetch, from: "ada") }
    #expect(fetches.count <= Fetches.memory)
    // The newest is still expected, and those that were announced are kept.
    _ = fetches.joined(-1, from: "bob")
    fetches.started(-1)
    for fetch in 1...Fetches.memory * 2 { _ = fetches.joined(-1 - fetch, from: "cyd") }
    _ = fetches.attemptBegan(-1)
    #expect(fetches.opened(-1, "span") == ["bob"])
  }
}
