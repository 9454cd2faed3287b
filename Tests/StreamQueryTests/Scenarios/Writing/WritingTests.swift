import StreamQuery
import StreamQueryTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct WritingTests {
  let simulation = Simulation(seed: 13)
  let key = QueryKey<Int>("n")

  // C02 C03 T44
  @Test func aWriteIsShownAtOnceAndCountsAsASuccess() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(Boom(), after: .milliseconds(10)))
    let query = Query.scripted("n", fetch).retry(.never)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    client.setData(7, for: key)
    simulation.advance(by: .milliseconds(50))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .failure(Boom())), at(50, .success(7)),
      ]
    )
    expectEqual(recording.values.map(\.failureCount), [0, 1, 0])
    expectEqual(recording.values.map(\.errorUpdateCount), [0, 1, 1])
    expectEqual(recording.values.last?.dataUpdatedAt, Simulation.startDate + 0.05)
  }

  // T44
  @Test func aPlainWriteLetsTheRunningFetchLand() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.advance(by: .milliseconds(5))
    client.setData(7, for: key)
    simulation.advance(by: .milliseconds(50))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(5, .success(7, isFetching: true)),
        at(10, .success(1)),
      ]
    )
  }

  @Test(arguments: [true, false])
  func aFencingWriteKeepsTheRunningFetchOut(ignoringCancellation: Bool) {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(
      .value(1, after: .milliseconds(10), ignoringCancellation: ignoringCancellation)
    )
    let recording = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.advance(by: .milliseconds(5))
    client.setData(7, for: key, fencing: true)
    simulation.advance(by: .milliseconds(50))
    #expect(recording.timeline == [at(0, .pending(isFetching: true)), at(5, .success(7))])
    expectEqual(fetch.runningCount, 0)
  }

  @Test func aCallerWhoseFetchIsFencedOutGetsTheWrittenValue() throws {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.never)
    let answers = Notes<Int>()
    simulation.task { () async throws -> Void in
      answers.add(try await client.fetch(.scripted("n", fetch)))
    }
    simulation.advance(by: .milliseconds(5))
    client.setData(7, for: key, fencing: true)
    simulation.settle()
    expectEqual(answers.all, [7])
    expect(simulation.isIdle)
  }

  // C04 T44
  @Test func anUpdateGetsWhatIsCachedAndReturnsWhatItWrote() {
    let client = QueryClient(simulation: simulation)
    let first = client.updateData(for: key) { value in
      expectNil(value)
      value = 1
    }
    let second = client.updateData(for: key) { value in value? += 1 }
    expectEqual([first, second], [1, 2])
    expectEqual(client.data(for: key), 2)
  }

  // T44
  @Test func leavingNilWritesNothingAndMakesNoEntry() {
    let client = QueryClient(simulation: simulation)
    expectNil(client.updateData(for: key) { _ in })
    expectEmpty(client.diagnostics())
    client.setData(1, for: key)
    let recording = simulation.record(client.stream(Query(key: key)))
    simulation.settle()
    expectNil(client.updateData(for: key) { $0 = nil })
    simulation.settle()
    expectEqual(client.data(for: key), 1)
    #expect(recording.summaries == [.success(1)])
  }

  @Test func anUpdaterThatThrowsWritesNothingAndItsErrorKeepsItsType() {
    let client = QueryClient(simulation: simulation)
    client.setData(1, for: key)
    do throws(Boom) {
      try client.updateData(for: key) { (value: inout Int?) throws(Boom) in
        value = 2
        throw Boom(3)
      }
      Issue.record("the error was swallowed")
    } catch {
      expectEqual(error, Boom(3))
    }
    expectEqual(client.data(for: key), 1)
  }

  @Test func aWriteInsideAnUpdateOfTheSameKeyIsReportedAndIgnored() {
    let misuse = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuse.add($0) } }
    client.setData(1, for: key)
    let written = client.updateData(for: key) { [key] value in
      client.setData(100, for: key)
      client.updateData(for: key) { $0 = 200 }
      // Another key is another matter.
      client.setData(5, for: QueryKey<Int>("m"))
      value? += 1
    }
    expectEqual(written, 2)
    expectEqual(client.data(for: key), 2)
    expectEqual(client.data(for: QueryKey<Int>("m")), 5)
    expectEqual(
      misuse.all,
      [
        .writeInsideUpdate(key: "[\"n\"]"), .writeInsideUpdate(key: "[\"n\"]"),
      ]
    )
  }

  @Test func aWriteInsideAnUpdateThroughAnotherKeyIsReportedToo() {
    let misuse = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuse.add($0) } }
    client.updateData(for: key) { [key] value in
      value = 1
      client.updateData(for: QueryKey<Int>("m")) { other in
        other = 2
        client.setData(3, for: key)
      }
    }
    expectEqual(client.data(for: key), 1)
    expectEqual(client.data(for: QueryKey<Int>("m")), 2)
    expectEqual(misuse.all, [.writeInsideUpdate(key: "[\"n\"]")])
  }

  @Test func aRemovalInsideAnUpdateIsSeenAndTheUpdateRunsAgain() {
    let client = QueryClient(simulation: simulation)
    client.setData(1, for: key)
    let asked = Notes<Int?>()
    let written = client.updateData(for: key) { [key] value in
      asked.add(value)
      if asked.count == 1 { client.remove(key) }
      value = (value ?? 10) + 1
    }
    expectEqual(asked.all, [1, nil])
    expectEqual(written, 11)
  }

  // T44 C02
  @Test func anOldDateMakesDataStaleSoonerAndAFutureOneCountsAsNow() {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>(key: key).staleTime(.seconds(10))
    simulation.advance(by: .seconds(100))
    client.setData(1, for: key, updatedAt: Simulation.startDate + 95)
    expectEqual(client.isStale(query), false)
    expectEqual(client.diagnostics().map(\.age), [.seconds(5)])
    simulation.advance(by: .seconds(5))
    expect(client.isStale(query))
    client.setData(2, for: key, updatedAt: Simulation.startDate + 100_000)
    expectEqual(client.diagnostics().map(\.age), [.zero])
    expectEqual(client.result(for: query).dataUpdatedAt, Simulation.startDate + 100_000)
    simulation.advance(by: .seconds(10))
    expect(client.isStale(query))
  }

  @Test(arguments: [
    -Double.infinity, .infinity, .nan, -1e300, 1e300, -.greatestFiniteMagnitude, 0,
  ])
  func anyDateIsTaken(seconds: Double) {
    let client = QueryClient(simulation: simulation)
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    let recording = simulation.record(
      client.stream(Query("n") { 9 }.staleTime(.hours(1)).refetchOnSubscribe(.never))
    )
    simulation.settle()
    client.setData(1, for: key, updatedAt: date)
    simulation.settle()
    // Looks again without a change: nothing may be told twice.
    client.cancel(key)
    let handle = client.observer(of: Query<Int>(key: key))
    _ = handle.result
    simulation.settle()
    expectEqual(recording.summaries.suffix(1), [.success(1)])
    expectEqual(recording.values.count { $0.data == 1 }, 1)
    simulation.advance(by: .hours(2))
    expect(client.isStale(Query(key: key).staleTime(.hours(1))))
  }

  // T45
  @Test func updatingManyEntriesIsOneTransactionOfOneValueType() {
    let client = QueryClient(simulation: simulation)
    for n in 1...3 { client.setData(n, for: QueryKey<Int>("n", n)) }
    client.setData("x", for: QueryKey<String>("n", 1))
    let count = client.updateData(matching: "n", of: Int.self) { key, value in
      if value == 2 { value = nil } else { value? *= 10 }
    }
    expectEqual(count, 2)
    expectEqual(client.entries(of: Int.self, "n").map(\.data), [10, 2, 30])
    expectEqual(client.data(for: QueryKey<String>("n", 1)), "x")
  }

  @Test func aWriteInsideABulkUpdateIsIgnoredForTheEntryAtHand() {
    let misuse = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuse.add($0) } }
    client.setData(1, for: key)
    let count = client.updateData(matching: .all, of: Int.self) { key, value in
      client.setData(50, for: key)
      value = 2
    }
    expectEqual(count, 1)
    expectEqual(client.data(for: key), 2)
    expectEqual(misuse.count, 1)
  }

  // T43
  @Test func writesToUnobservedKeysAreKeptForTheDefaultRetention() {
    let client = QueryClient(simulation: simulation)
    client.setData(1, for: key)
    simulation.advance(by: .seconds(299))
    expectEqual(client.data(for: key), 1)
    client.setData(2, for: key)
    simulation.advance(by: .seconds(299))
    expectEqual(client.data(for: key), 2)
    simulation.advance(by: .seconds(1))
    expectNil(client.data(for: key))
    expectEmpty(client.diagnostics())
  }

  // T02
  @Test func anOptionalIsALegalValue() throws {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int?>("maybe") { nil }
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    #expect(recording.summaries.last == .success(nil))
    expectEqual(client.data(for: query), .some(.none))
    client.updateData(for: query) { (value: inout Int??) in
      expectEqual(value, .some(.none))
      value = .some(3)
    }
    expectEqual(client.data(for: query), 3)
  }
}
