import Foundation
import StreamQuery
import StreamQueryTesting
import Testing

/// Updates beside fetches that run.
struct FencedUpdateTests {
  let simulation = Simulation(seed: 18)

  private func slow(_ key: String, _ value: Int = 10) -> Query<Int> {
    Query.scripted(key, ScriptedFetch(.value(value, after: .milliseconds(100))))
  }

  @Test(arguments: [true, false])
  func anUpdateThatRacedARefetchIsNotLostWhenItIsFenced(_ fencing: Bool) throws {
    let client = QueryClient(simulation: simulation)
    let query = slow("n")
    client.setData(1, for: query)
    let recording = simulation.record(client.stream(query))
    let fetched = Notes<Int>()
    simulation.task { fetched.add(try await client.fetch(query)) }
    simulation.advance(by: .milliseconds(50))
    expectEqual(client.updateData(for: query, fencing: fencing) { $0? += 1 }, 2)
    simulation.advance(by: .seconds(1))
    let end =
      fencing
      ? [at(50, .success(2))]
      : [at(50, .success(2, isFetching: true)), at(100, .success(10))]
    #expect(recording.timeline == [at(0, .success(1, isFetching: true))] + end)
    expectEqual(fetched.all, [fencing ? 2 : 10])
  }

  @Test func whatWritesNothingFencesNothing() {
    let client = QueryClient(simulation: simulation)
    let query = slow("n")
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(50))
    expectNil(client.updateData(for: query, fencing: true) { $0? += 1 })
    simulation.advance(by: .seconds(1))
    #expect(recording.timeline == [at(0, .pending(isFetching: true)), at(100, .success(10))])
  }

  @Test func anUpdateSaysWhenItsValueWasGood() {
    let client = QueryClient(simulation: simulation)
    let query = slow("n").staleTime(.seconds(60))
    client.setData(1, for: query)
    let date = simulation.date.addingTimeInterval(-59)
    client.updateData(for: query.key, updatedAt: date) { $0? += 1 }
    expectEqual(client.diagnostics("n").map(\.dataUpdatedAt), [date])
    expect(!client.isStale(query))
    simulation.advance(by: .seconds(1))
    expect(client.isStale(query))
    client.updateData(for: query) { $0? += 1 }
    expect(!client.isStale(query))
    expectEqual(client.data(for: query), 3)
  }

  @Test func updatesOfSeveralEntriesFenceThoseThatTheyWrite() {
    let client = QueryClient(simulation: simulation)
    let recordings = (1...2).map { n -> ResultRecording<QueryResult<Int>> in
      client.setData(n, for: slow("n\(n)"))
      return simulation.record(client.stream(slow("n\(n)")))
    }
    simulation.advance(by: .milliseconds(50))
    let date = simulation.date.addingTimeInterval(-9)
    let count = client.updateData(
      matching: .all,
      of: Int.self,
      updatedAt: date,
      fencing: true
    ) { _, value in
      value = value == 1 ? 5 : nil
    }
    expectEqual(count, 1)
    simulation.advance(by: .seconds(1))
    #expect(recordings[0].timeline == [at(0, .success(1, isFetching: true)), at(50, .success(5))])
    expectEqual(recordings[0].values.last?.dataUpdatedAt, date)
    #expect(
      recordings[1].timeline == [at(0, .success(2, isFetching: true)), at(100, .success(10))]
    )
  }

  /// Whenever the update comes, before the answer, with it or after it, it is in what is there at last.
  @Test(arguments: Seeds.few(4))
  func noScheduleLosesAFencedUpdate(_ seed: UInt64) {
    let simulation = Simulation(seed: seed)
    let client = QueryClient(simulation: simulation)
    let query = Query.scripted("n", ScriptedFetch<Int>(.value(10, after: .milliseconds(20))))
      .staleTime(.infinite)
    client.setData(0, for: query)
    simulation.task { try await client.fetch(query.staleTime(.zero)) }
    simulation.task {
      try? await Scheduling.current.clock.sleep(for: .milliseconds(20))
      client.updateData(for: query, fencing: true) { $0 = ($0 ?? 0) + 1 }
    }
    simulation.advance(by: .seconds(1))
    #expect([1, 11].contains(client.data(for: query)))
  }
}
