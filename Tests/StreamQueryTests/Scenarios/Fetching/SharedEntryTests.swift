import StreamQuery
import StreamQueryTesting
import Testing

struct SharedEntryTests {
  let simulation = Simulation(seed: 3)

  // Q05 S09
  @Test
  func twoConsumersShareOneRequestAndSeeTheSame() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(20)))
    let first = simulation.record(client.stream(.scripted("n", fetch)))
    let second = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.advance(by: .seconds(1))
    let expected = [at(0, .pending(isFetching: true)), at(20, .success(1))]
    #expect(first.timeline == expected)
    #expect(second.timeline == expected)
    expectEqual(fetch.callCount, 1)
  }

  // K07 Q05
  @Test
  func aConsumerThatComesDuringARequestJoinsIt() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(20)))
    let first = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.advance(by: .milliseconds(15))
    let second = simulation.record(client.stream(.scripted("n", fetch)))
    simulation.advance(by: .seconds(1))
    #expect(first.timeline == [at(0, .pending(isFetching: true)), at(20, .success(1))])
    #expect(second.timeline == [at(15, .pending(isFetching: true)), at(20, .success(1))])
    expectEqual(fetch.callCount, 1)
  }

  // K12
  @Test
  func ofTwoFetchesOfOneKeyTheRunningOneServesAllAndTheNewerTheNext() throws {
    let client = QueryClient(simulation: simulation)
    let old = ScriptedFetch<Int>(.value(1, after: .milliseconds(20)))
    let new = ScriptedFetch<Int>(.value(2, after: .milliseconds(20)))
    let first = simulation.record(client.stream(.scripted("n", old)))
    let second = simulation.record(client.stream(.scripted("n", new)))
    simulation.advance(by: .milliseconds(100))
    #expect(first.timeline == [at(0, .pending(isFetching: true)), at(20, .success(1))])
    #expect(second.timeline == first.timeline)
    expectEqual([old.callCount, new.callCount], [1, 0])
    simulation.run { await client.invalidate("n") }
    simulation.settle()
    expectEqual(
      first.timeline.dropFirst(2),
      [
        at(100, .success(1, isFetching: true)), at(120, .success(2)),
      ]
    )
    expectEqual([old.callCount, new.callCount], [1, 1])
  }

  // K06 K17
  @Test
  func sameKeyPartsOfAnotherTypeAreAnotherEntry() {
    let client = QueryClient(simulation: simulation)
    client.setData(1, for: QueryKey<Int>("n"))
    client.setData("one", for: QueryKey<String>("n"))
    expectEqual(client.data(for: QueryKey<Int>("n")), 1)
    expectEqual(client.data(for: QueryKey<String>("n")), "one")
    expectNil(client.data(for: QueryKey<Double>("n")))
    client.remove(QueryKey<Int>("n"))
    expectNil(client.data(for: QueryKey<Int>("n")))
    expectEqual(client.data(for: QueryKey<String>("n")), "one")
  }

  // Q05
  @Test
  func tenThousandConcurrentCallersShareOneRequestAtLinearCost() throws {
    func jobs(callers: Int) throws -> Int {
      let simulation = Simulation(seed: 9)
      let client = QueryClient(simulation: simulation)
      let fetch = ScriptedFetch<Int>(.value(7, after: .milliseconds(5)))
      let query = Query.scripted("n", fetch)
      let answers = Dial(0)
      for _ in 0..<callers {
        simulation.task { () async throws -> Void in
          let value = try await client.fetch(query)
          answers.with { $0 += value }
        }
      }
      simulation.advance(by: .seconds(1))
      expectEqual(answers.value, callers * 7)
      expectEqual(fetch.callCount, 1)
      expectEqual(simulation.leakReport(), [])
      return simulation.jobCount
    }
    let thousand = try jobs(callers: 1_000)
    let tenThousand = try jobs(callers: 10_000)
    #expect(thousand < 1_000 * 4)
    #expect(tenThousand < thousand * 10 + 100)
  }

  // C12 K09
  @Test
  func anEmptyKeyIsAKeyLikeAnyOther() throws {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>(key: QueryKey()) { 5 }
    let value = try simulation.run { try await client.fetch(query) }
    expectEqual(value, 5)
    client.setData(6, for: QueryKey<Int>("other"))
    expectEqual(client.data(for: QueryKey<Int>()), 5)
    expectEqual(client.entries(of: Int.self, .prefix(AnyQueryKey())).map(\.data).sorted(), [5, 6])
    client.remove(query)
    expectEqual(client.entries(of: Int.self).map(\.data), [6])
  }

  struct Opaque: Hashable, Sendable {
    var id: Int
  }

  // K13 K04
  @Test
  func aKeyPartThatCannotBeEncodedIsCachedAndSharedLikeAnyOther() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(1)))
    let one = simulation.record(client.stream(Query("o", Opaque(id: 1), fetch: fetch)))
    let same = simulation.record(client.stream(Query("o", Opaque(id: 1), fetch: fetch)))
    let other = simulation.record(client.stream(Query("o", Opaque(id: 2), fetch: fetch)))
    simulation.advance(by: .seconds(1))
    expectEqual(fetch.callCount, 2)
    expectEqual([one, same, other].map(\.summaries.last), [.success(1), .success(1), .success(1)])
    expectEqual(client.diagnostics("o").map(\.observerCount), [2, 1])
  }
}
