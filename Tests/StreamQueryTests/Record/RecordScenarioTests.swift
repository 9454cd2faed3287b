import Foundation
@_spi(Adapters) import StreamQuery
import StreamQueryTesting
import Testing

/// The record of a client, event by event.
struct RecordScenarioTests {
  let simulation = Simulation(seed: 3)

  private func client(
    _ count: Int = 1_000,
    _ configure: @escaping @Sendable (inout QueryClient.Configuration) -> Void = { _ in }
  ) -> QueryClient {
    QueryClient(simulation: simulation) {
      $0.record = .last(count)
      configure(&$0)
    }
  }

  @Test func withoutARecordThereIsNone() {
    let client = QueryClient(simulation: simulation)
    client.setData(1, for: "n")
    expectEmpty(client.record.events)
    expectEmpty(client.record.keys)
    let parts = simulation.record(client.recordUpdates)
    simulation.settle()
    client.setData(2, for: "n")
    simulation.settle()
    expectEqual(parts.values.count, 1)
    client.shutDown()
    simulation.settle()
    expect(parts.isFinished)
  }

  @Test func aFetchOfAnObservedQuery() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let query = Query.scripted("n", fetch).staleTime(.seconds(60))
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(10))
    recording.cancel()
    simulation.settle()
    expectEqual(
      client.record.lines,
      [
        "1 added: pending idle",
        "1 observed: pending fetching, observers 1, subscribed",
        "1 fetch 1 started: pending fetching, observers 1, subscribed",
        "1 fetch 1 succeeded: success idle, observers 1, data 1, subscribed",
        "1 unobserved: success idle, data 1, subscribed",
      ]
    )
    expectEqual(
      client.record.events.map(\.time),
      [
        .zero, .zero, .zero, .milliseconds(10), .milliseconds(10),
      ]
    )
    expectEqual(client.record.keys.map(\.text), [#"["n"]"#])
    expectEqual(client.record.keys.map(\.parts), [[.text("n")]])
    expectEqual(client.record.keys.map(\.valueType), ["Int"])
    expectEqual(client.record.options.map(\.staleTime), [.after(.seconds(60))])
    expectEqual(client.record.options.map(\.retry), ["3 times"])
    expectEqual(client.record.duration, .milliseconds(10))
  }

  @Test func aFetchThatIsRetriedAndFails() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.failure(Boom(1)), .failure(Boom(2)))
    let query = Query.scripted("n", fetch).retry(.times(1).backoff(.constant(.seconds(1))))
    let task = simulation.task { try? await client.fetch(query) }
    simulation.advance(by: .seconds(2))
    expectEqual(
      client.record.lines,
      [
        "1 added: pending idle",
        "1 fetch 1 started: pending fetching, callers 1, manual",
        "1 fetch 1 failed 1 (boom 1), again after 1.0 seconds: "
          + "pending fetching, callers 1, failures 1, manual",
        "1 fetch 1 resumed: pending fetching, callers 1, failures 1, manual",
        "1 fetch 1 failed (boom 2): error idle, failures 2, invalidated, manual",
      ]
    )
    withExtendedLifetime(task) {}
  }

  @Test func aFetchThatWaitsForTheNetwork() {
    let online = ManualSignal(false)
    let client = client { $0.connectivity = Connectivity { online } }
    simulation.settle()
    let fetch = ScriptedFetch<Int>(.value(1))
    let recording = simulation.record(client.stream(Query.scripted("n", fetch)))
    simulation.settle()
    online.send(true)
    simulation.settle()
    expectEqual(
      client.record.lines,
      [
        "offline",
        "1 added: pending idle",
        "1 observed: pending paused, observers 1, subscribed",
        "1 fetch 1 started: pending paused, observers 1, subscribed",
        "1 fetch 1 paused: pending paused, observers 1, subscribed",
        "online",
        "1 fetch 1 resumed: pending fetching, observers 1, subscribed",
        "1 fetch 1 succeeded: success idle, observers 1, data 1, subscribed",
      ]
    )
    recording.cancel()
  }

  @Test func writesInvalidationsAndTheEnd() async {
    let client = client()
    client.setData(1, for: QueryKey<Int>("n", 1))
    client.setData(2, for: QueryKey<Int>("n", 2))
    client.markInvalidated(.prefix("n"))
    client.remove(QueryKey<Int>("n", 1))
    client.clear()
    expectEqual(
      client.record.lines,
      [
        "1 added: pending idle", "1 written: success idle, data 1",
        "2 added: pending idle", "2 written: success idle, data 1",
        "invalidate .prefix([\"n\"]) (2)",
        "1 invalidated: success idle, data 1, invalidated",
        "2 invalidated: success idle, data 1, invalidated",
        "1 removed (removed): gone",
        "clear .all (1)",
        "2 removed (cleared): gone",
      ]
    )
  }

  @Test func aResetOfAnObservedQuery() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(1), .value(2))
    let recording = simulation.record(client.stream(Query.scripted("n", fetch)))
    simulation.settle()
    let count = client.record.events.count
    simulation.task { await client.reset(.all) }
    simulation.settle()
    expectEqual(
      client.record.lines.dropFirst(count),
      [
        "reset .all (1)",
        "1 reset: pending idle, observers 1",
        "1 fetch 2 started: pending fetching, observers 1, reset",
        "1 fetch 2 succeeded: success idle, observers 1, data 1, reset",
      ]
    )
    recording.cancel()
  }

  @Test func aResetForWhichACallerWaits() {
    let client = client()
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .seconds(1)),
      .value(2, after: .seconds(1))
    )
    let query = Query.scripted("n", fetch)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    let caller = simulation.task { try? await client.fetch(query) }
    simulation.settle()
    let count = client.record.events.count
    simulation.task { await client.reset(.all) }
    simulation.advance(by: .seconds(1))
    expectEqual(
      client.record.lines.dropFirst(count),
      [
        "reset .all (1)",
        "1 reset: pending idle, observers 1",
        "1 fetch 1 cancelled: pending idle, observers 1",
        "1 fetch 2 started: pending fetching, observers 1, reset",
        // The caller of the former fetch waits for this one.
        "1 changed: pending fetching, observers 1, callers 1, reset",
        "1 fetch 2 succeeded: success idle, observers 1, data 1, reset",
      ]
    )
    recording.cancel()
    withExtendedLifetime(caller) {}
  }

  @Test func aRefetchIsNamedAlsoOfOneKey() {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(1), .value(2))
    let query = Query.scripted("n", fetch)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    let count = client.record.events.count
    simulation.task { await client.refetch(query) }
    simulation.settle()
    // An invalidation needs no name: its event is one.
    client.markInvalidated(.query(query), refetch: .never)
    expectEqual(
      client.record.lines.dropFirst(count),
      [
        #"refetch .key(["n"]) (1)"#,
        "1 fetch 2 started: success fetching, observers 1, data 1, manual",
        "1 fetch 2 succeeded: success idle, observers 1, data 2, manual",
        "1 invalidated: success idle, observers 1, data 2, invalidated, manual",
      ]
    )
    recording.cancel()
  }

  @Test func anObservedEntryThatIsRemovedStaysEmpty() {
    let client = client()
    let query = Query<Int>("n") { 1 }
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    let count = client.record.events.count
    client.remove(query)
    simulation.settle()
    expectEqual(
      client.record.lines.dropFirst(count),
      [
        "1 changed: pending idle, observers 1",
        "1 removed (removed) kept: pending idle, observers 1",
      ]
    )
    recording.cancel()
  }

  @Test func anOptimisticChangeThatIsRolledBack() {
    let client = client()
    let key = QueryKey<Int>("n")
    client.setData(1, for: key)
    let mutation = Mutation<Int, Int>("set") { _ in
      try await Scheduling.current.clock.sleep(for: .milliseconds(5))
      throw Boom(7)
    }
    .optimistic { input, changes in changes.update(key) { $0 = input } }
    simulation.task { try? await client.mutate(mutation, with: 2) }
    simulation.advance(by: .milliseconds(5))
    let record = client.record
    expectEqual(
      record.lines.dropFirst(2),
      [
        "run 1 started",
        "1 layered by 1: success idle, data 1, layered",
        "run 1 performing 0",
        "1 unlayered by 1: success idle, data 1",
        "run 1 failed (boom 7)",
      ]
    )
    expectEqual(record.runs.map(\.mutation), [#"["set"]"#])
  }

  @Test func aLayerThatGoesWithItsEntryIsNotThereAnyMore() {
    let client = client()
    let key = QueryKey<Int>("n")
    client.setData(1, for: key)
    let mutation = Mutation<Int, Int>("set") { input in
      try await Scheduling.current.clock.sleep(for: .milliseconds(5))
      return input
    }
    .optimistic { input, changes in changes.update(key) { $0 = input } }
    simulation.task { try? await client.mutate(mutation, with: 2) }
    simulation.settle()
    let count = client.record.events.count
    client.remove(key)
    expectEqual(
      client.record.lines.dropFirst(count),
      [
        "1 unlayered by 1: success idle, data 1", "1 removed (removed): gone",
      ]
    )
    simulation.advance(by: .milliseconds(5))
  }

  @Test func anEviction() {
    let client = client { $0.limit = CacheLimit(maxEntries: 1) }
    client.setData(1, for: QueryKey<Int>("n", 1))
    client.setData(2, for: QueryKey<Int>("n", 2))
    simulation.settle()
    expectEqual(
      client.record.lines,
      [
        "1 added: pending idle", "1 written: success idle, data 1",
        "2 added: pending idle", "2 written: success idle, data 1",
        "1 removed (evicted): gone",
      ]
    )
  }

  @Test func anExpiry() {
    let client = client()
    let query = Query<Int>("n") { 1 }.gcTime(.seconds(1))
    simulation.task { try? await client.fetch(query) }
    simulation.advance(by: .seconds(2))
    expectEqual(client.record.lines.last, "1 removed (expired): gone")
  }

  @Test func aFurtherEventTakesAtMostSixtyFourBytesInAFile() throws {
    let client = client(10_000)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(80)))
    let prices = Query.scripted("prices", fetch).refetchInterval(.seconds(60))
    let recording = simulation.record(client.stream(prices))
    let user = QueryKey<Int>("user", 42)
    func size() throws -> (events: Int, bytes: Int) {
      let record = client.record
      return (record.events.count, try record.json().count)
    }
    simulation.advance(by: .seconds(3_600))
    let before = try size()
    for hour in 1..<24 {
      client.setData(hour, for: user)
      client.markInvalidated(.prefix("user"))
      simulation.advance(by: .seconds(3_600))
    }
    let after = try size()
    let events = after.events - before.events
    let average = Double(after.bytes - before.bytes) / Double(events)
    #expect(events > 2_500)
    #expect(average <= 64 && average > 32, "\(average)")
    recording.cancel()
  }

  @Test func eachClientHasItsOwnRecord() {
    let (first, second) = (client(), client())
    first.setData(1, for: "a")
    second.setData(1, for: "b")
    expectEqual(first.record.keys.map(\.text), [#"["a"]"#])
    expectEqual(second.record.keys.map(\.text), [#"["b"]"#])
    expectEqual(second.record.events.map(\.number), [1, 2])
  }

  @Test func entriesThatMoveKeepTheirKeys() {
    let client = client(20_000)
    let keys = (0..<9_000).map { QueryKey<Int>("n", $0) }
    for key in keys { client.setData(0, for: key) }
    for key in keys.dropLast(3) { client.remove(key) }
    simulation.settle()
    client.setData(1, for: keys[8_999])
    expectEqual(client.record.lines.last, "9000 written: success idle, data 2")
    expectEqual(client.record.keys.first { $0.number == 9_000 }?.text, #"["n", 8999]"#)
  }

  @Test func aFullRecordHasTheRightBases() {
    let (short, long) = (client(10), client(100_000))
    for client in [short, long] {
      let query = Query<Int>("n", 1) { 1 }
      for round in 0..<30 {
        client.setData(round, for: QueryKey<Int>("n", round % 4))
        if round % 7 == 0 { client.remove(QueryKey<Int>("n", round % 3)) }
        let recording = simulation.record(client.stream(query))
        simulation.settle()
        if round % 5 == 0 { client.markInvalidated(.prefix("n")) }
        recording.cancel()
        simulation.settle()
      }
    }
    var before = long.record
    let part = short.record
    expectEqual(part.events.count, 10)
    expectEqual(part.events.map(\.number), before.events.suffix(10).map(\.number))
    before.events.removeLast(10)
    let expected = before.finalStates
    for key in part.keys {
      // Options have numbers of their own in each record.
      var (base, other) = (key.base, expected[key.number])
      base?.options = nil
      other?.options = nil
      expectEqual(base, other, "key \(key.number)")
    }
    expect(Set(expected.keys).isSubset(of: part.keys.map(\.number)))
  }

  @Test func aStoreThatFails() {
    let client = client()
    client.setData(1, for: "n")
    let key = EntryKey(QueryKey<Int>("n"))
    client.emit(.persistenceFailed(Boom(1)), of: key, in: Int.self, "main")
    client.emit(.persistenceFailed(Boom(2)), of: nil, in: Int.self, "main")
    expectEqual(
      client.record.lines.dropFirst(2),
      [
        "Int failed for 1: boom 1", "Int failed for all: boom 2",
      ]
    )
  }

  @Test func aTriggerOfTheApp() {
    let client = client()
    client.setData(1, for: "n")
    let ticks = ManualSignal(0)
    let connection = client.connect(
      triggers: ticks.map { _ in QueryTrigger.invalidate(.prefix("n") && .where { _ in true }) }
    )
    simulation.settle()
    expectEqual(
      client.record.lines.dropFirst(2),
      [
        "trigger connect(triggers: AsyncMapSequence<ManualSignal<Int>, QueryTrigger>)",
        #"invalidate .prefix(["n"]) && .where { … } (1)"#,
        "1 invalidated: success idle, data 1, invalidated",
      ]
    )
    connection.cancel()
  }

  @Test func aTriggerOfAQuery() {
    let client = client()
    let ticks = ManualSignal(0)
    let fetch = ScriptedFetch<Int>(.value(1), .value(2), .value(3))
    let query = Query.scripted("n", fetch).refetch(on: ticks.dropFirst())
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    let count = client.record.events.count
    ticks.send(1)
    simulation.settle()
    expectEqual(
      client.record.lines.dropFirst(count),
      [
        #"trigger refetch(on:) of ["n"]"#,
        "1 fetch 2 started: success fetching, observers 1, data 1, trigger",
        "1 fetch 2 succeeded: success idle, observers 1, data 2, trigger",
      ]
    )
    recording.cancel()
  }

  // MARK: Readers

  @Test func aReaderGetsTheRecordAndThenTheNews() {
    let client = client()
    client.setData(1, for: "n")
    let parts = simulation.record(client.recordUpdates)
    simulation.settle()
    client.setData(2, for: "n")
    client.setData(3, for: "m")
    simulation.settle()
    expectEqual(
      parts.values.map(\.steps),
      [
        ["1 added", "1 written"], ["1 written", "2 added", "2 written"],
      ]
    )
    expectEqual(parts.values.map { $0.keys.map(\.number) }, [[1], [2]])
    client.shutDown()
    simulation.settle()
    expectEqual(parts.values.last?.steps, ["1 removed (cleared)", "2 removed (cleared)"])
    expect(parts.isFinished)
  }

  @Test func aSlowReaderIsToldHowMuchItMissedAndCanGoOn() {
    let client = client(10)
    let parts = simulation.record(client.recordUpdates)
    simulation.settle()
    for number in 0..<100 { client.setData(number, for: "n") }
    simulation.settle()
    expectEqual(parts.values.count, 2)
    expectEqual(parts.values.last?.lostCount, 91)
    expectEqual(parts.values.last?.events.count, 10)
    expectEqual(parts.values.last?.finalStates[1]?.dataUpdateCount, 100)
    parts.cancel()
    client.shutDown()
  }

  @Test func newsIsNotWrittenToAFileButAWholeRecordIs() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("record-\(UInt64.random(in: .min ... .max)).json")
    defer { try? FileManager.default.removeItem(at: url) }
    let client = client(4)
    let parts = simulation.record(client.recordUpdates)
    simulation.settle()
    client.setData(1, for: "n")
    simulation.settle()
    client.setData(2, for: "n")
    simulation.settle()
    for number in 0..<9 { client.setData(number, for: "m") }
    simulation.settle()
    let written = parts.values.map { part -> [String] in
      do {
        try part.write(to: url)
        return try QueryRecord(contentsOf: url).steps
      } catch {
        return ["\(type(of: error))"]
      }
    }
    expectEqual(
      written,
      [
        [],
        // It begins with event 1, and so it is whole.
        ["1 added", "1 written"],
        ["QueryRecordError"],
        // The reader has missed some, and so it gets everything.
        ["2 written", "2 written", "2 written", "2 written"],
      ]
    )
    parts.cancel()
  }

  @Test func aReaderDoesNotKeepTheClient() {
    let weakClient: Weak<QueryClient>
    let parts: ResultRecording<QueryRecord>
    do {
      let client = client()
      weakClient = Weak(client)
      client.setData(1, for: "n")
      parts = simulation.record(client.recordUpdates)
      simulation.settle()
    }
    simulation.settle()
    expect(weakClient.isGone)
    expect(parts.isFinished)
    expectEqual(simulation.leakReport(), [])
  }

  /// A part of a key whose end calls the client.
  struct WitnessedPart: Hashable, Sendable {
    let witness: Witness

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.witness === rhs.witness }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(witness)) }
  }

  /// If the key were released under the lock, its end would lock a second time, which traps or never returns.
  @Test func theRecordKeepsNoValueAndReleasesKeysOutsideOfTheLock() {
    let client = client(4)
    let calls = Notes<String>()
    func witness(_ name: String) -> Witness {
      Witness { [weak client] in
        client?.setData(0, for: "called back")
        calls.add("\(name) \(client?.record.events.count ?? -1)")
      }
    }
    do {
      let key = QueryKey<Witness>("w", WitnessedPart(witness: witness("key")))
      client.setData(witness("value"), for: key)
      client.remove(key)
    }
    // The value's end has written two events.
    expectEqual(calls.all, ["value 4"])
    expectEqual(client.record.keys.count, 2)
    // The events about the key leave one by one, and the last one takes the key along.
    client.setData(1, for: "called back")
    expectEqual(calls.all, ["value 4"])
    client.setData(2, for: "called back")
    expectEqual(calls.all, ["value 4", "key 4"])
    expectEqual(client.record.keys.map(\.text), [#"["called back"]"#])
  }

  @Test func errorsAndFiltersThatLeaveTheRecordAreReleasedOutsideOfTheLock() {
    let client = client(2)
    let calls = Notes<String>()
    func witness(_ name: String) -> Witness {
      Witness { [weak client] in
        calls.add("\(name) \(client?.record.events.count ?? -1)")
      }
    }
    do {
      let blame = Blame(witness: witness("error"))
      client.emit(.persistenceFailed(blame), of: nil, in: Int.self, "main")
    }
    do { client.markInvalidated(.prefix("w", WitnessedPart(witness: witness("filter")))) }
    expectEqual(calls.all, [])
    client.setData(1, for: "n")
    expectEqual(calls.all, ["error 2", "filter 2"])
  }

  struct Blame: Error, CustomStringConvertible {
    let witness: Witness
    var description: String { "blame" }
  }

  /// A store reports an error.
  ///
  /// - Returns: The witness of the error. Its end calls the client, which would wait for ever under the lock.
  private func storeFails(_ client: QueryClient, _ calls: Notes<Int>) -> Weak<Witness> {
    let witness = Witness { [weak client] in calls.add(client?.record.events.count ?? -1) }
    client.emit(.persistenceFailed(Blame(witness: witness)), of: nil, in: Int.self, "main")
    return Weak(witness)
  }

  @Test(arguments: [false, true])
  func aClientThatHasEndedKeepsTheTextsOfErrorsAndNotTheErrors(isErased: Bool) {
    let client = client { $0.record = .last(1_000, values: .encodable) }
    let calls = Notes<Int>()
    let weakWitness = storeFails(client, calls)
    client.setData(1, for: "n")
    simulation.settle()
    expect(!weakWitness.isGone)
    expectEqual(client.record.values.map(\.json), ["1"])
    if isErased { client.erase() } else { client.shutDown() }
    expect(weakWitness.isGone)
    expectEqual(calls.all, [4])
    expectEqual(
      client.record.lines,
      [
        "Int failed for all: blame", "1 added: pending idle", "1 written: success idle, data 1",
        "1 removed (cleared): gone",
      ]
    )
    // An account that ends takes all of its data along.
    expectEqual(client.record.values.map(\.json), isErased ? [] : ["1"])
  }

  @Test(arguments: [false, true])
  func anErrorThatComesAfterTheEndIsKeptAsItsText(isErased: Bool) {
    let client = client()
    if isErased { client.erase() } else { client.shutDown() }
    let calls = Notes<Int>()
    // The last write of a store fails.
    let weakWitness = storeFails(client, calls)
    expect(weakWitness.isGone)
    expectEqual(calls.all, [1])
    expectEqual(client.record.lines, ["Int failed for all: blame"])
  }

  @Test func valuesAreThereOnlyIfAskedAndAsTheClosureWritesThem() {
    let plain = client()
    plain.setData(1, for: "n")
    simulation.settle()
    expectEmpty(plain.record.values)
    let client = QueryClient(simulation: simulation) {
      $0.record = .last(
        100,
        values: RecordedValues(maxBytes: 12) { key, value in
          key == ["secret"] ? nil : RecordedValues.json(of: value)
        }
      )
    }
    client.setData("old", for: "n")
    client.setData("secret", for: "secret")
    client.setData([1, 2], for: "list")
    simulation.task { try? await client.fetch(Query<Int>("f") { 7 }) }
    simulation.settle()
    expectEqual(client.record.values.map(\.json), [#""old""#, "[1,2]", "7"])
    client.setData("abc", for: "n")
    simulation.settle()
    // Twelve bytes are full: the oldest one goes.
    expectEqual(client.record.values.map(\.json), ["[1,2]", "7", #""abc""#])
    let last = client.record.values.last?.event
    expect(client.record.events.first { $0.number == last }.map(\.kind) != nil)
  }

  @Test func theEntryOfANumberIsFound() {
    let client = client()
    client.setData(1, for: "a")
    client.setData(2, for: "b")
    expectEqual(client.info(ofKey: 2)?.key, "b")
    client.remove(QueryKey<Int>("a"))
    expectNil(client.info(ofKey: 1))
    expectNil(client.info(ofKey: 0))
    expectNil(client.info(ofKey: -1))
    expectNil(client.info(ofKey: .max))
  }
}
