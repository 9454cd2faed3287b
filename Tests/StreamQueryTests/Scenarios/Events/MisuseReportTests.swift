#if DEBUG
import StreamQuery
import StreamQueryTesting
import Synchronization
import Testing

/// Mistakes with keys and streams that are silent otherwise are told once, in debug builds.
struct MisuseReportTests {
  let simulation = Simulation(seed: 1)
  let told = Told()

  final class Told: Sendable {
    private let all = Mutex<[QueryMisuse]>([])

    func append(_ misuse: QueryMisuse) { all.withLock { $0.append(misuse) } }
    var misuses: [QueryMisuse] { all.withLock { $0 } }
  }

  private func client() -> QueryClient {
    QueryClient(simulation: simulation) { [told] in $0.onMisuse = { told.append($0) } }
  }

  @Test func theSamePartsWithAnotherValueTypeAreToldOnceK17() {
    let client = client()
    client.setData("Ada", for: QueryKey<String>("user", 1))
    for _ in 0..<3 { expectNil(client.data(for: QueryKey<Int>("user", 1))) }
    expectEqual(
      told.misuses,
      [
        .otherValueType(key: #"["user", 1]"#, cached: "Swift.String", asked: "Swift.Int")
      ]
    )
  }

  @Test func aNumberOfAnotherTypeIsTold() {
    let client = client()
    client.setData("Ada", for: QueryKey<String>("user", 1, "name"))
    expectNil(client.data(for: QueryKey<String>("user", Int64(1), "name")))
    expectNil(client.data(for: QueryKey<String>("user", "1", "name")))
    expectEqual(
      told.misuses,
      [
        .similarKey(cached: #"["user", 1, "name"]"#, asked: #"["user", Int64(1), "name"]"#),
        .similarKey(cached: #"["user", 1, "name"]"#, asked: #"["user", "1", "name"]"#),
      ]
    )
  }

  @Test func whatIsMerelyMissingIsNotTold() {
    let client = client()
    client.setData("Ada", for: QueryKey<String>("user", 1))
    client.setData("Bob", for: QueryKey<String>("person", "a", 3))
    expectNil(client.data(for: QueryKey<String>("user", 2)))
    expectNil(client.data(for: QueryKey<String>("user", "one")))
    expectNil(client.data(for: QueryKey<String>("user")))
    expectNil(client.data(for: QueryKey<String>("user", 1, 1)))
    expectNil(client.data(for: QueryKey<String>("person", "b", Int64(3))))
    expectNil(client.data(for: QueryKey<String>()))
    expectEqual(told.misuses, [])
  }

  @Test func whatIsCachedUnderTheKeyItselfOrNotAtAllIsNotTold() {
    let client = client()
    let query = Query("user", 1, fetch: ScriptedFetch<Int>(.value(7, after: .seconds(1))))
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    expectNil(client.data(for: query.key))
    // Nothing is there yet that might have been meant.
    expectNil(client.data(for: QueryKey<String>("user", 1)))
    expectEqual(told.misuses, [])
    recording.cancel()
  }

  @Test func textsOfOneNumberAreTwoTexts() {
    let client = client()
    client.setData("Holtsville", for: QueryKey<String>("zip", "501"))
    expectNil(client.data(for: QueryKey<String>("zip", "00501")))
    client.setData("seven", for: QueryKey<String>("search", "7"))
    expectNil(client.data(for: QueryKey<String>("search", "+7")))
    expectEqual(told.misuses, [])
  }

  @Test func twoLoopsOverOneStreamAreToldOnce() {
    let client = client()
    client.setData(1, for: QueryKey<Int>("a"))
    let stream = client.stream(Query(key: QueryKey<Int>("a")))
    let loops = (0..<2).map { _ in
      simulation.task { for await _ in stream {} }
    }
    simulation.settle()
    client.setData(2, for: QueryKey<Int>("a"))
    simulation.settle()
    expectEqual(told.misuses, [.sharedStream(key: #"["a"]"#)])
    for loop in loops { loop.cancel() }
    simulation.settle()
    client.shutDown()
  }

  @Test func oneLoopAfterTheOtherIsNoMistake() {
    let client = client()
    client.setData(1, for: QueryKey<Int>("a"))
    let stream = client.stream(Query(key: QueryKey<Int>("a")))
    let first = simulation.task {
      for await _ in stream { break }
    }
    simulation.settle()
    let second = simulation.task { for await _ in stream {} }
    client.setData(2, for: QueryKey<Int>("a"))
    simulation.settle()
    expectEqual(told.misuses, [])
    first.cancel()
    second.cancel()
    simulation.settle()
    client.shutDown()
  }
}
#endif
