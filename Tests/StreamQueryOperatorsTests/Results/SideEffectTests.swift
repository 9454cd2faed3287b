import Dispatch
@testable import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Synchronization
import Testing

struct SideEffectTests {
  @Test func onSuccessRunsOncePerData() {
    let seen = Mutex<[String]>([])
    let line = "p-x-(x*)-(x!)-x-(s~)-x-(y!)-y-(z!)|"
    expectDiagram(line, seeds: 0..<1, render: Sample.text) {
      $0.results("p-x-(x*)-(x!)-x-(s~)-(x')-(y!)-y-(z!)|").onSuccess { value in
        seen.withLock { $0.append(value) }
      }
    }
    expectEqual(seen.withLock { $0 }, ["x", "x", "y"])
  }

  @Test func onFailureRunsOncePerError() {
    let seen = Mutex<[String]>([])
    let line = "p-(!)-(!*)-(!)-(x!2)-x-(x!)|"
    expectDiagram(line, seeds: 0..<1, render: Sample.text) {
      $0.results(line).onFailure { error in seen.withLock { $0.append("\(error)") } }
    }
    expectEqual(seen.withLock { $0 }, ["!", "!2", "!"])
  }

  @Test func onChangeRunsForEveryResultBeforeItIsDelivered() {
    let seen = Mutex<[String]>([])
    expectDiagram(
      "p-(p*)-x|",
      seeds: 0..<1,
      render: { result in
        seen.withLock { $0.append("delivered") }
        return Sample.text(result)
      }
    ) {
      $0.results("p-(p*)-x|").onChange { result in
        seen.withLock { $0.append(Sample.text(result)) }
      }
    }
    expectEqual(seen.withLock { $0 }, ["p", "delivered", "p*", "delivered", "x", "delivered"])
  }

  @Test func endsPassThrough() {
    expectEndsPassThrough { $0.onSuccess { _ in } }
    expectEndsPassThrough { $0.onFailure { _ in } }
    expectEndsPassThrough { $0.onChange { _ in } }
  }

  @Test func cachedDataIsNewToTheStream() {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    let seen = Mutex<[String]>([])
    let query = Query("a", fetch: ScriptedFetch<String>(.value("fetched")))
    client.setData("cached", for: query)
    let recording = simulation.record(
      client.results(of: query).onSuccess { value in seen.withLock { $0.append(value) } }
    )
    simulation.settle()
    expectEqual(seen.withLock { $0 }, ["cached", "fetched"])
    recording.cancel()
  }

  /// A model as an app has it: its state belongs to the main actor.
  @MainActor final class Model {
    var values: [Int] = []
    var failures = 0
    var statuses: [QueryStatus] = []

    /// Takes the first result; nobody else is waited for.
    func follow(_ results: some AsyncSequence<QueryResult<Int>, Never> & Sendable) async {
      let watched = results.onSuccess { self.values.append($0) }
        .onFailure { _ in self.failures += 1 }
        .onChange { self.statuses.append($0.status) }
      var iterator = watched.makeAsyncIterator()
      _ = await iterator.next(isolation: #isolation)
    }
  }

  @Test @MainActor func anActionThatIsWrittenOnAnActorMayChangeItsState() async {
    let client = QueryClient()
    client.setData(3, for: QueryKey<Int>("a"))
    let model = Model()
    await model.follow(client.results(of: Query(key: QueryKey<Int>("a"))))
    expectEqual(model.values, [3])
    expectEqual(model.failures, 0)
    expectEqual(model.statuses, [.success])
    client.shutDown()
  }

  @Test func anActionOfAnActorRunsThereWhereverTheConsumerIs() async {
    let client = QueryClient()
    client.setData(3, for: QueryKey<Int>("a"))
    let model = Model()
    let watched = await watching(client, for: model)
    var iterator = watched.makeAsyncIterator()
    _ = await iterator.next(isolation: nil)
    await expectEqual(model.values, [3])
    client.shutDown()
  }

  @MainActor private func watching(
    _ client: QueryClient,
    for model: Model
  ) -> some AsyncSequence<QueryResult<Int>, Never> & Sendable {
    client.results(of: Query(key: QueryKey<Int>("a"))).onSuccess { model.values.append($0) }
  }

  @Test @MainActor func anActionOfNoActorStaysWhereTheConsumerIs() async {
    let client = QueryClient()
    client.setData(3, for: QueryKey<Int>("a"))
    MainQueue.mark()
    let places = Mutex<[Bool]>([])
    let watched = Self.noting(client) { isMain in places.withLock { $0.append(isMain) } }
    var iterator = watched.makeAsyncIterator()
    _ = await iterator.next(isolation: #isolation)
    expectEqual(places.withLock { $0 }, [true])
    client.shutDown()
  }

  nonisolated private static func noting(
    _ client: QueryClient,
    _ note: @escaping @Sendable (Bool) -> Void
  ) -> some AsyncSequence<QueryResult<Int>, Never> & Sendable {
    client.results(of: Query(key: QueryKey<Int>("a"))).onSuccess { _ in note(MainQueue.isCurrent) }
  }
}

/// Whether the present code runs on the main actor; asked like this, since on Linux the main queue may be
/// served by any thread.
private enum MainQueue {
  private static let key = DispatchSpecificKey<Bool>()

  static func mark() { DispatchQueue.main.setSpecific(key: key, value: true) }

  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }
}
