import Testing

@testable import StreamQuery

/// When each rule of the core applies, and the nearest set-up in which it does not.
struct AdviceFactsTests {
  private static let forever = Duration.seconds(Int64.max)

  private func rules(_ change: (inout QueryAdviceFacts) -> Void) -> [String] {
    var facts = QueryAdviceFacts()
    change(&facts)
    return facts.advice.map(\.rule)
  }

  private func options(
    _ staleTime: StaleTime? = nil,
    timeout: Duration? = nil,
    cachesFailures: FailureCaching? = nil
  ) -> QueryOptions {
    var options = QueryOptions(staleTime: staleTime)
    options.timeout = timeout
    options.cachesFailures = cachesFailures
    return options
  }

  @Test func aClientOfWhichNothingIsKnownGetsNoAdvice() {
    expectEqual(rules { _ in }, [])
  }

  @Test func aQueryOfAServerWithoutAStaleTimeIsNamed() {
    var facts = QueryAdviceFacts(isServer: true)
    facts.queries = [("rates", options()), ("users", options(.seconds(1))), ("a", options())]
    expectEqual(facts.advice.map(\.rule), ["staleTimeOnServer"])
    expectEqual(facts.advice.map(\.problem), ["No stale time on a server: a, rates"])
    expectEqual(facts.advice.map(\.article), ["OnTheServer"])
  }

  @Test func aStaleTimeOfZeroThatIsWrittenIsMeant() {
    expectEqual(
      rules { $0 = QueryAdviceFacts(isServer: true, queries: [("a", options(.zero))]) },
      []
    )
  }

  @Test func aQueryOfAnAppNeedsNoStaleTime() {
    expectEqual(rules { $0.queries = [("a", options())] }, [])
  }

  @Test func manyNamesAreCounted() {
    let names = ["e", "d", "a", "c", "b", "a"]
    let facts = QueryAdviceFacts(isServer: true, queries: names.map { ($0, options()) })
    expectEqual(facts.advice.map(\.problem), ["No stale time on a server: a, b, c and 2 more"])
  }

  @Test func aServerThatKeepsEverythingForEverIsNamed() {
    let kept = QueryOptions(gcTime: Self.forever)
    expectEqual(rules { $0 = QueryAdviceFacts(isServer: true, defaults: kept) }, ["noLimit"])
    let none = CacheLimit(maxEntries: .max)
    expectEqual(rules { $0 = QueryAdviceFacts(isServer: true, limit: none, defaults: kept) }, [])
    let timed = QueryOptions(gcTime: .seconds(600))
    expectEqual(rules { $0 = QueryAdviceFacts(isServer: true, defaults: timed) }, [])
    // Five minutes.
    expectEqual(rules { $0 = QueryAdviceFacts(isServer: true) }, [])
    // An app ends, and the system tells it when memory is short.
    expectEqual(rules { $0 = QueryAdviceFacts(defaults: kept) }, [])
  }

  @Test func cachedFailuresNeedATimeoutOfAnyLength() {
    let cached: FailureCaching = .seconds(1)
    let rule = ["cachedFailuresWithoutTimeout"]
    expectEqual(rules { $0.queries = [("a", options(cachesFailures: cached))] }, rule)
    for timeout in [.seconds(5), Self.forever] {
      let limited = options(timeout: timeout, cachesFailures: cached)
      expectEqual(rules { $0.queries = [("a", limited)] }, [])
    }
    expectEqual(rules { $0.queries = [("a", options(cachesFailures: .off))] }, [])
    expectEqual(rules { $0.queries = [("a", options())] }, [])
  }

  @Test func durableMutationsThatRanWithoutAnOutboxAreNamed() {
    let advice = QueryAdviceFacts(unkeptMutations: ["save", "save"]).advice
    expectEqual(advice.map(\.rule), ["missingOutbox"])
    expectEqual(advice.map(\.problem), ["Durable mutations without an outbox: save"])
  }

  @Test func adviceSaysAllInALine() {
    let advice = QueryAdvice(
      rule: "rule",
      problem: "A problem",
      of: ["a"],
      reason: "A reason",
      remedy: "Write this",
      article: "Gotchas"
    )
    expectEqual(
      advice?.description,
      "A problem: a. A reason. Write this. Read the article Gotchas (rule rule)."
    )
    expectNil(
      QueryAdvice(rule: "rule", problem: "A problem", of: [], reason: "", remedy: "", article: "")
    )
  }
}
