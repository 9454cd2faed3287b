@_spi(Adapters) import StreamQuery
import StreamQueryTesting
import Testing

private struct Broken: Error {}

private func delayed<Value>(_ value: Value, _ milliseconds: Int) -> ScriptedFetch<Value> {
  ScriptedFetch(.value(value, after: .milliseconds(milliseconds)))
}

/// Key, data and fetch status of each member, as one line of text.
private func line(_ results: QueryListResults) -> String {
  zip(results.keys, results.results(of: String.self)).map { key, result in
    "\(key): \(result.data ?? (result.isError ? "failed" : "-"))\(result.isFetching ? "…" : "")"
  }
  .joined(separator: ", ")
}

struct QueryListTests {
  private let simulation = Simulation(seed: 9)
  private let client: QueryClient

  init() {
    client = QueryClient(simulation: simulation)
  }

  private func query(_ name: String, _ fetch: ScriptedFetch<String>) -> Query<String> {
    Query(key: QueryKey(name), fetch: fetch).retry(0)
  }

  @Test("T78: a list shows one result for each query, in order, and each fetch's news")
  func listShowsResultsInOrder() {
    let a = query("a", delayed("A", 20))
    let b = query("b", delayed("B", 10))
    let recording = simulation.record(client.observer(all: [AnyQuery(a), AnyQuery(b)]).stream)
    simulation.advance(by: .milliseconds(50))
    expectEqual(
      recording.values.map(line),
      [
        "[\"a\"]: -…, [\"b\"]: -…", "[\"a\"]: -…, [\"b\"]: B", "[\"a\"]: A, [\"b\"]: B",
      ]
    )
  }

  @Test("T78: a call that changes several members is one element")
  func oneElementForATurn() {
    let queries = ["a", "b", "c"].map { query($0, delayed($0, 10)).staleTime(.seconds(60)) }
    for query in queries { client.setData("1", for: query) }
    let recording = simulation.record(client.observer(all: queries.map { AnyQuery($0) }).stream)
    simulation.settle()
    client.updateData(matching: .all, of: String.self) { _, value in value = "2" }
    simulation.settle()
    expectEqual(
      recording.values.map { $0.results(of: String.self).map(\.data) },
      [
        ["1", "1", "1"], ["2", "2", "2"],
      ]
    )
  }

  @Test("T78: members with the same key keep their observer, others leave or come")
  func replacingTheListKeepsObservers() {
    let fetches = ["a": delayed("A", 10), "b": delayed("B", 20), "c": delayed("C", 10)]
    // Written down anew each time, as a view does.
    func list(_ names: String...) -> [AnyQuery] {
      names.map { AnyQuery(query($0, fetches[$0] ?? delayed("?", 0))) }
    }
    let observer = client.observer(all: list("a", "b"))
    let recording = simulation.record(observer.stream)
    simulation.advance(by: .milliseconds(50))
    observer.update(list("c", "a"))
    simulation.advance(by: .milliseconds(50))
    expectEqual(fetches.mapValues(\.callCount), ["a": 1, "b": 1, "c": 1])
    expectEqual(
      recording.values.map(line),
      [
        "[\"a\"]: -…, [\"b\"]: -…",
        "[\"a\"]: A, [\"b\"]: -…",
        "[\"a\"]: A, [\"b\"]: B",
        "[\"c\"]: -…, [\"a\"]: A",
        "[\"c\"]: C, [\"a\"]: A",
      ]
    )
    expectEqual(
      recording.values.last?.results(of: String.self).map(\.isFetchedSinceSubscribing),
      [
        true, true,
      ]
    )
    expectEqual(
      client.diagnostics().map { "\($0.key)\($0.observerCount)" }.sorted(),
      [
        "[\"a\"]1", "[\"b\"]0", "[\"c\"]1",
      ]
    )
  }

  @Test("parallel-removed: a member that leaves while it loads cancels its own fetch only")
  func removedMemberCancelsItsFetch() {
    let a = ScriptedFetch<String>(.never)
    let b = delayed("B", 10)
    let observer = client.observer(all: [AnyQuery(query("a", a)), AnyQuery(query("b", b))])
    let recording = simulation.record(observer.stream)
    simulation.settle()
    observer.update([AnyQuery(query("b", b))])
    simulation.advance(by: .milliseconds(50))
    expectEqual(a.calls.map(\.outcome), [.cancelled])
    expectEqual(b.calls.map(\.outcome), [.value])
    expectEqual(recording.values.map(line).last, "[\"b\"]: B")
  }

  @Test("T32: a list that leaves says how long what runs lingers, where nobody else does")
  func aListThatLeaves() {
    let slow = ScriptedFetch<String>(.never)
    let (own, done) = (ScriptedFetch<String>(.never), delayed("C", 10))
    do {
      let observer = client.observer(
        all: [
          AnyQuery(query("a", slow)),
          AnyQuery(query("b", own), options: ObserverOptions(linger: .milliseconds(10))),
          AnyQuery(query("c", done)),
        ]
      )
      let recording = simulation.record(observer.stream)
      simulation.advance(by: .milliseconds(20))
      observer.linger(.milliseconds(30))
      simulation.settle()
      // That is no change of any of them.
      expectEqual(recording.values.count, 2)
      recording.cancel()
    }
    var running: [[Int]] = []
    for step in [5, 10, 20] {
      simulation.advance(by: .milliseconds(step))
      running.append([slow.runningCount, own.runningCount])
    }
    expectEqual(running, [[1, 1], [1, 0], [0, 0]])
    expectEqual(client.diagnostics().map(\.observerCount), [0, 0, 0])
  }

  @Test func anEmptyListMayBecomeFull() {
    let observer = client.observer(all: [])
    let recording = simulation.record(observer.stream)
    simulation.settle()
    expectEqual(recording.values.map(\.count), [0])
    observer.update([AnyQuery(query("a", delayed("A", 0)))])
    simulation.settle()
    expectEqual(recording.values.last.map(line), "[\"a\"]: A")
    observer.update([])
    simulation.settle()
    expectEqual(recording.values.last?.count, 0)
    recording.cancel()
    simulation.settle()
    expect(recording.isFinished)
    expectEqual(client.diagnostics().map(\.observerCount), [0])
  }

  @Test("T79 G06: unlike results are found by typed key; absent and failed are different")
  func lookupByTypedKey() throws {
    let user = Query(key: QueryKey<String>("user", 1), fetch: delayed("Ada", 10))
    let count = Query(
      key: QueryKey<Int>("count"),
      fetch: ScriptedFetch<Int>(.failure(Broken(), after: .milliseconds(5)))
    )
    .retry(0)
    let observer = client.observer(all: [AnyQuery(user), AnyQuery(count)])
    let recording = simulation.record(observer.stream)
    simulation.advance(by: .milliseconds(50))
    let last = try #require(recording.values.last)
    expectEqual(last[user]?.data, "Ada")
    let failed = try #require(last[QueryKey<Int>("count")])
    expect(failed.isError)
    #expect(failed.error is Broken)
    expectNil(last[QueryKey<Int>("user", 1)])
    expectNil(last[QueryKey<String>("user", 2)])
    expectEqual(last.errors.count, 1)
    expect(!last.isSuccess)
    expectEqual(observer.results[user]?.data, "Ada")
  }

  @Test("T79: a combination has an element only when it changes")
  func combineLeavesEqualValuesOut() {
    let a = query("a", delayed("A", 10))
    let b = query("b", delayed("B", 20))
    let observer = client.observer(all: [AnyQuery(a), AnyQuery(b)])
    let recording = simulation.record(observer.combine(\.isSuccess))
    simulation.advance(by: .milliseconds(50))
    simulation.task { [client] in await client.refetch(.all) }
    simulation.advance(by: .milliseconds(50))
    expectEqual(recording.elements.map(\.element), [false, true])
    expectEqual(recording.elements.map(\.time), [.zero, .milliseconds(20)])
  }

  @Test("a key that stands twice in the list has two observers, also after the list changed")
  func duplicatesAreMembersOfTheirOwn() {
    let a = AnyQuery(query("a", delayed("A", 10)))
    let observer = client.observer(all: [a, a])
    expectEqual(client.diagnostics().map(\.observerCount), [2])
    observer.update([a, a, a])
    expectEqual(client.diagnostics().map(\.observerCount), [3])
    observer.update([a])
    expectEqual(client.diagnostics().map(\.observerCount), [1])
    expectEqual(observer.results.count, 1)
  }

  @Test func droppingTheHandleEndsAllObservers() {
    do {
      let observer = client.observer(all: [AnyQuery(query("a", delayed("A", 10)))])
      observer.update([AnyQuery(query("b", delayed("B", 10)))])
    }
    simulation.advance(by: .milliseconds(50))
    expectEqual(client.diagnostics().map(\.observerCount), [0, 0])
    expect(simulation.isIdle)
  }

  @Test(
    "any order of lists and news ends with the last list",
    arguments: Seeds.few(2)
  )
  func lastListHolds(seed: UInt64) {
    let simulation = Simulation(seed: seed)
    let client = QueryClient(simulation: simulation)
    let names = ["a", "b", "c", "d"]
    @Sendable func list(_ count: Int) -> [AnyQuery] {
      (0..<count).map { index in
        let name = names[(index + count) % 4]
        return AnyQuery(Query(key: QueryKey(name), fetch: delayed(name, index + 1)))
      }
    }
    let observer = client.observer(all: list(2))
    let recording = simulation.record(observer.stream)
    for step in 0..<8 {
      simulation.task { observer.update(list((step * 3) % 5)) }
      simulation.task { client.setData("\(step)", for: QueryKey<String>("a")) }
      if step % 3 == 0 { simulation.advance(by: .milliseconds(2)) }
    }
    simulation.task { observer.update(list(3)) }
    simulation.advance(by: .milliseconds(20))
    observer.update(list(4))
    simulation.advance(by: .milliseconds(20))
    expectEqual(recording.values.last?.count, 4)
    expectEqual(recording.values.last?.isSuccess, true)
    expectEqual(client.diagnostics().map(\.observerCount), [1, 1, 1, 1])
    recording.cancel()
    simulation.settle()
    expectEqual(client.diagnostics().map(\.observerCount), [0, 0, 0, 0])
    expectEqual(simulation.leakReport(), [])
  }

  @Test func twoTasksOnOneListStreamBothEnd() {
    let observer = client.observer(all: [])
    let one = simulation.record(observer.stream)
    let two = simulation.record(observer.stream)
    simulation.settle()
    one.cancel()
    simulation.settle()
    expect(one.isFinished)
    expect(two.isFinished)
  }

  @Test func aListThatIsReplacedBeforeItComesIsReleasedOutsideTheLock() {
    let observer = client.observer(all: [])
    let inner = Dial(0)
    let outer = Query("outer") { "o" }.enabled { [weak observer] _ in
      // Asked while the list is being replaced: what is given now has to wait.
      guard
        inner.with({
          $0 += 1; return $0
        }) == 1, let observer
      else { return false }
      let witness = Witness { [weak observer] in observer?.update([]) }
      observer.update([AnyQuery(Query("a") { [witness] in "\(witness)" })])
      observer.update([AnyQuery(Query("b") { "b" })])
      return false
    }
    observer.update([AnyQuery(outer)])
    #expect(inner.value >= 1)
    expectEmpty(observer.results.keys)
  }
}
