import StreamQueryTesting
import Synchronization
import Testing

@testable import StreamQuery

/// What a client drops when memory is short.
struct MemoryPressureTests {
  private let simulation = Simulation(seed: 14)
  private let level = ManualSignal(MemoryPressure.Level.normal)

  private func client(
    _ configure: @Sendable (inout QueryClient.Configuration) -> Void = { _ in }
  )
    -> QueryClient
  {
    QueryClient(simulation: simulation) { [level] in
      $0.memoryPressure = MemoryPressure { level }
      configure(&$0)
    }
  }

  private func number(_ number: Int) -> Query<Int> {
    Query("number", number) { number }
  }

  private func kept(_ client: QueryClient) -> [Int] {
    client.entries(of: Int.self).map(\.data).sorted()
  }

  /// 1 is observed, 2 is stale, 3 is fresh, 4 says so itself.
  private func fill(_ client: QueryClient, isFresh: Bool) -> AsyncStream<QueryResult<Int>> {
    let stream = client.stream(number(1))
    let all = [
      number(2), number(3).staleTime(.minutes(10)),
      number(4).staleTime(.dynamic { _ in .after(isFresh ? .seconds(900) : .zero) }),
    ]
    for query in all {
      _ = simulation.task { _ = try? await client.fetch(query) }
    }
    simulation.settle()
    expectEqual(kept(client), [1, 2, 3, 4])
    return stream
  }

  @Test("a warning drops what nobody uses and is stale", arguments: [false, true])
  func warning(isFresh: Bool) {
    let client = client()
    let stream = fill(client, isFresh: isFresh)
    level.send(.warning)
    simulation.settle()
    expectEqual(kept(client), isFresh ? [1, 3, 4] : [1, 3])
    _ = stream
    client.shutDown()
  }

  @Test("a critical level drops all that nobody uses, and the reason is in the events")
  func critical() {
    let client = client()
    let events = simulation.record(client.events)
    let stream = fill(client, isFresh: true)
    level.send(.critical)
    simulation.settle()
    expectEqual(kept(client), [1])
    let evicted = events.values.count { event in
      if case .removed(.evicted) = event.kind { true } else { false }
    }
    expectEqual(evicted, 3)
    level.send(.normal)
    simulation.settle()
    expectEqual(kept(client), [1])
    _ = stream
    client.shutDown()
  }

  @Test("what is being fetched stays")
  func fetching() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(9, after: .seconds(1)))
    let query = Query("slow", fetch: fetch)
    _ = simulation.task { _ = try? await client.fetch(query) }
    simulation.advance(by: .milliseconds(500))
    level.send(.critical)
    simulation.advance(by: .seconds(1))
    expectEqual(client.data(for: query), 9)
    expectEqual(fetch.callCount, 1)
    client.shutDown()
  }

  @Test("none of many is left out, although tables shrink meanwhile")
  func many() {
    let client = client()
    client.cache.record {
      $0.bounds.lookLimit = 10
      $0.bounds.leastSlots = 16
    }
    for value in 1...500 { client.setData(value, for: QueryKey<Int>("many", value)) }
    level.send(.critical)
    simulation.settle()
    expectEmpty(client.diagnostics())
    client.shutDown()
  }

  #if os(Linux)
  @Test("the account is read at once and after each interval of the clock, until it is gone")
  func polls() {
    let text = ManualText("some avg10=0.00 avg60=0.00 avg300=0.00 total=0")
    let client = QueryClient(simulation: simulation) {
      $0.memoryPressure = MemoryPressure {
        PressurePolls(interval: .seconds(10), read: { text.read() })
      }
    }
    client.setData(1, for: QueryKey<Int>("number", 1))
    simulation.settle()
    expectEqual(text.readCount, 1)
    text.set("full avg10=50.00\nsome avg10=70.00")
    simulation.advance(by: .seconds(9))
    expectEqual(kept(client), [1])
    simulation.advance(by: .seconds(1))
    expectEqual(kept(client), [])
    expectEqual(text.readCount, 2)
    text.set(nil)
    simulation.advance(by: .seconds(60))
    expectEqual(text.readCount, 3)
    client.shutDown()
  }
  #endif
}

#if os(Linux)
/// The content of a file that a test writes.
private final class ManualText: Sendable {
  private let state: TestLock<(text: String?, count: Int)>

  init(_ text: String) {
    state = TestLock((text, 0))
  }

  var readCount: Int { state.withLock { $0.count } }

  func set(_ text: String?) { state.withLock { $0.text = text } }

  func read() -> String? {
    state.withLock { state in
      state.count += 1
      return state.text
    }
  }
}
#endif
