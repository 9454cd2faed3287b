import StreamQuery
import StreamQueryTesting
import Testing

/// Options that are functions: when they are asked, and what they are told.
struct DynamicOptionTests {
  let simulation = Simulation(seed: 23)
  let key = QueryKey<Int>("n")

  // T06
  @Test func dynamicStaleTimeIsAskedWhenTheEntryChanges() {
    let client = QueryClient(simulation: simulation)
    let query = Query("n") { 1 }.staleTime(
      .dynamic { ($0.data as? Int ?? 0) > 5 ? .infinite : .after(.seconds(1)) }
    )
    client.setData(1, for: key)
    let recording = simulation.record(client.stream(query.refetchOnSubscribe(.never)))
    simulation.advance(by: .seconds(3))
    client.setData(9, for: key)
    simulation.advance(by: .hours(3))
    client.setData(2, for: key)
    simulation.advance(by: .hours(3))
    expectEqual(recording.values.map(\.data), [1, 1, 9, 2, 2])
    expectEqual(recording.values.map(\.isStale), [false, true, false, false, true])
  }

  // O10
  @Test func dynamicEnabledStartsTheFetchWhenItsAnswerTurns() {
    let client = QueryClient(simulation: simulation)
    let isOpen = Dial(false)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).enabled { _ in isOpen.value })
    )
    simulation.advance(by: .seconds(1))
    isOpen.value = true
    // Nothing changed in the entry, so nobody asks yet.
    simulation.advance(by: .seconds(1))
    expectEqual(fetch.callCount, 0)
    client.setData(0, for: key)
    simulation.advance(by: .seconds(1))
    #expect(recording.summaries.first == .pending())
    #expect(recording.summaries.last == .success(1))
    expectEqual(recording.values.map(\.isEnabled).last, true)
  }

  // O08
  @Test func dynamicIntervalStopsPollingWhenItIsDone() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1), .value(2), .value(3))
    let recording = simulation.record(
      client.stream(
        Query.scripted("n", fetch).refetchInterval(
          .dynamic { ($0.data as? Int ?? 0) < 3 ? .seconds(1) : nil }
        )
      )
    )
    simulation.advance(by: .minutes(10))
    expectEqual(fetch.calls.map(\.start), [.zero, .seconds(1), .seconds(2)])
    expectEqual(recording.values.last?.data, 3)
  }

  @Test func optionsByTheDataAreAskedAnewWhenItChanges() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1), .value(2), .value(3))
    let query = Query.scripted("n", fetch)
      .refetchInterval { (data: Int?) in (data ?? 0) < 3 ? .seconds(1) : nil }
      .staleTime { data in (data ?? 0) < 3 ? .static : .after(.seconds(1)) }
      .enabled { data in data != 4 }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(10))
    expectEqual(fetch.calls.map(\.start), [.zero, .seconds(1), .seconds(2)])
    expectEqual(recording.values.last?.data, 3)
    expectEqual(recording.values.last?.isStale, true)
    expectEqual(recording.values.last?.isEnabled, true)
    client.setData(4, for: key)
    simulation.settle()
    expectEqual(recording.values.last?.isEnabled, false)
  }

  @Test func optionsByTheDataAreToldWhatIsShown() {
    let client = QueryClient(simulation: simulation)
    let key = key
    let set = Mutation("set") { (_: Int) in
      try await Scheduling.current.clock.sleep(for: .milliseconds(10))
    }.optimistic { input, changes in changes.update(key) { $0 = input } }
    let query = Query("n") { 1 }.staleTime(.infinite).enabled { (data: Int?) in data != 5 }
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    simulation.start(set, with: 5, on: client)
    simulation.advance(by: .milliseconds(5))
    // A layer shows it; what is cached is another value.
    expectEqual(recording.values.last?.data, 5)
    expectEqual(recording.values.last?.isEnabled, false)
    expectEqual(client.diagnostics().first?.value(as: Int.self), 5)
    expectNil(client.diagnostics().first?.value(as: String.self))
    simulation.advance(by: .seconds(1))
    expectEqual(recording.values.last?.data, 1)
    expectEqual(recording.values.last?.isEnabled, true)
  }

  @Test func anOptionThatIsTakenToAnotherTypeIsToldOfNoData() {
    let client = QueryClient(simulation: simulation)
    let told = Notes<Int?>()
    let numbers = Query("n") { 1 }.enabled { data in
      told.add(data)
      return data == nil
    }
    let recording = simulation.record(
      client.stream(Query("s") { "text" }.options(numbers.options))
    )
    simulation.advance(by: .seconds(1))
    #expect(recording.summaries.last == .success("text"))
    expectEqual(recording.values.last?.isEnabled, true)
    expect(!told.all.isEmpty && told.all.allSatisfy { $0 == nil })
  }

  @Test func anOptionThatAnswersDifferentlyEachTimeEndsAndIsReported() {
    let misuse = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuse.add($0) } }
    let count = Dial(0)
    // Fresh data: turning it on and off again costs no fetch, whose landing would be asked about.
    let query = Query("n") { 1 }.staleTime(.infinite).enabled { _ in
      count.with {
        $0 += 1
        // An end, so that a defect here fails instead of hanging the suite.
        return $0 > 10_000 || $0.isMultiple(of: 2)
      }
    }
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    client.setData(3, for: key)
    simulation.advance(by: .seconds(1))
    #expect(count.value < 100)
    #expect(misuse.all.contains(.unsettledOption(key: "[\"n\"]")))
    recording.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  @Test func anOptionThatWritesItsOwnKeyEachTimeEnds() {
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { _ in } }
    let count = Dial(0)
    let key = key
    let query = Query("n") { 1 }.staleTime(
      .dynamic { [weak client] _ in
        let asked = count.with {
          $0 += 1
          return $0
        }
        if asked < 10_000 { client?.setData(asked, for: key) }
        return .after(.seconds(1))
      }
    )
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(10))
    #expect(count.value < 1_000)
    recording.cancel()
    simulation.settle()
    expect(simulation.isIdle)
  }

  @Test func aClosureThatReadsTheCacheSeesTheInitialDataOfItsQuery() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let recording = simulation.record(
      client.stream(
        Query.scripted("n", fetch).initialData(7).enabled { [weak client, key] _ in
          client?.data(for: key) != nil
        }
      )
    )
    simulation.advance(by: .seconds(1))
    expectEqual(recording.values.map(\.data), [7, 1])
    expectEqual(fetch.callCount, 1)
  }
}
