import StreamQuery
import StreamQueryTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Staleness, retention, initial data, placeholders, and clocks that jump.
@Suite struct FreshnessTests {
  let simulation = Simulation(seed: 23)
  let key = QueryKey<Int>("n")

  // T29 X31
  @Test func stalenessFlipsExactlyAtTheStaleTimeAsAnElement() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).staleTime(.seconds(1)))
    )
    simulation.advance(by: .minutes(1))
    #expect(
      recording.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success(1)), at(1_010, .success(1)),
      ]
    )
    #expect(recording.values.map(\.isStale) == [true, false, true])
    #expect(fetch.callCount == 1)
  }

  // O03 X02
  @Test func twoObserversMayDisagreeAboutStaleness() {
    let client = QueryClient(simulation: simulation)
    client.setData(1, for: key)
    let query = Query("n") { 2 }.staleTime(.seconds(10))
    let one = simulation.record(
      client.stream(query, options: ObserverOptions(staleTime: .seconds(2)))
    )
    let two = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(5))
    #expect(one.values.map(\.isStale) == [false, true])
    #expect(two.values.map(\.isStale) == [false])
    #expect(client.diagnostics(.stale).count == 1)
  }

  // T06 T12
  @Test func staticDataIsRefetchedByWhatItsOwnQueryAsksFor() {
    let client = QueryClient(simulation: simulation)
    let ticks = ManualSignal(0)
    let fetch = ScriptedFetch<Int>(.value(1))
    let recording = simulation.record(
      client.stream(
        Query.scripted("n", fetch).staleTime(.static).refetchInterval(.seconds(10))
          .refetch(on: ticks.dropFirst())
      )
    )
    simulation.advance(by: .seconds(10))
    #expect(fetch.callCount == 2)
    #expect(recording.values.last?.cause == .interval)
    ticks.send(1)
    simulation.settle()
    #expect(fetch.callCount == 3)
    #expect(recording.values.last?.cause == .trigger)
    #expect(recording.values.allSatisfy { $0.isPending || !$0.isStale })
  }

  // O03 T60
  @Test func anObserversStaleTimeLeavesWithIt() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1))
    let query = Query.scripted("n", fetch).staleTime(.minutes(5))
    let hasty = simulation.record(
      client.stream(query, options: ObserverOptions(staleTime: .zero))
    )
    simulation.advance(by: .seconds(1))
    #expect(client.diagnostics(.stale).count == 1)
    hasty.cancel()
    simulation.settle()
    // Nobody observes: old age is in the eye of whoever looks.
    #expect(client.diagnostics(.stale).isEmpty)
    #expect(client.diagnostics(.fresh).count == 1)
    #expect(!client.isStale(query))

    let patient = simulation.record(
      client.stream(query.staleTime(.zero), options: ObserverOptions(staleTime: .hours(1)))
    )
    simulation.advance(by: .seconds(1))
    #expect(client.diagnostics(.stale).isEmpty)
    patient.cancel()
    simulation.settle()
    #expect(client.diagnostics(.stale).isEmpty)
    simulation.run { await client.invalidate(query, refetch: .never) }
    #expect(client.diagnostics(.stale).count == 1)
  }

  // S07 T06
  @Test func staticDataIsNeverStaleAndLeftOutOfSweeps() throws {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(1)), .value(2))
    let query = Query.scripted("n", fetch).staleTime(.static).refetchOnSubscribe(.always)
    let first = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    simulation.run { await client.invalidate("n") }
    let second = simulation.record(client.stream(query))
    simulation.advance(by: .hours(1))
    #expect(fetch.callCount == 1)
    #expect(first.values.map(\.isStale) == [true, false])
    #expect(second.summaries == [.success(1)])
    let value = try simulation.run { try await client.fetch(query) }
    #expect(value == 1)
  }

  // T06
  @Test func infiniteStaleTimeEndsByInvalidation() {
    let client = QueryClient(simulation: simulation)
    let recording = simulation.record(client.stream(Query("n") { 1 }.staleTime(.infinite)))
    simulation.advance(by: .hours(24 * 365 * 90))
    #expect(recording.values.last?.isStale == false)
    simulation.run { await client.invalidate("n", refetch: .never) }
    #expect(recording.values.last?.isStale == true)
  }

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
    #expect(recording.values.map(\.data) == [1, 1, 9, 2, 2])
    #expect(recording.values.map(\.isStale) == [false, true, false, false, true])
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
    #expect(fetch.callCount == 0)
    client.setData(0, for: key)
    simulation.advance(by: .seconds(1))
    #expect(recording.summaries.first == .pending())
    #expect(recording.summaries.last == .success(1))
    #expect(recording.values.map(\.isEnabled).last == true)
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
    #expect(fetch.calls.map(\.start) == [.zero, .seconds(1), .seconds(2)])
    #expect(recording.values.last?.data == 3)
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
    #expect(fetch.calls.map(\.start) == [.zero, .seconds(1), .seconds(2)])
    #expect(recording.values.last?.data == 3)
    #expect(recording.values.last?.isStale == true)
    #expect(recording.values.last?.isEnabled == true)
    client.setData(4, for: key)
    simulation.settle()
    #expect(recording.values.last?.isEnabled == false)
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
    #expect(recording.values.last?.data == 5)
    #expect(recording.values.last?.isEnabled == false)
    #expect(client.diagnostics().first?.value(as: Int.self) == 5)
    #expect(client.diagnostics().first?.value(as: String.self) == nil)
    simulation.advance(by: .seconds(1))
    #expect(recording.values.last?.data == 1)
    #expect(recording.values.last?.isEnabled == true)
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
    #expect(recording.values.last?.isEnabled == true)
    #expect(!told.all.isEmpty && told.all.allSatisfy { $0 == nil })
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
    #expect(simulation.isIdle)
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
    #expect(simulation.isIdle)
  }

  // C17 O02 T07
  @Test func theLongestRetentionThatWasAskedForHolds() {
    let client = QueryClient(simulation: simulation)
    for seconds in [5, 20, 10] {
      let query = Query("n") { 1 }.gcTime(.seconds(seconds))
      _ = simulation.record(client.stream(query))
    }
    simulation.run { await client.prefetch(Query("n") { 1 }.gcTime(.seconds(5))) }
    let start = simulation.now
    simulation.advance(by: .milliseconds(19_999))
    #expect(client.diagnostics().count == 1)
    simulation.advance(by: .milliseconds(1))
    #expect(client.diagnostics().isEmpty)
    #expect(start == .zero)
  }

  // X01 O03
  @Test func anObserversOwnRetentionRulesWhenItLeavesLast() {
    let client = QueryClient(simulation: simulation)
    let query = Query("n") { 1 }.gcTime(.seconds(100))
    let last = simulation.record(
      client.stream(query, options: ObserverOptions(gcTime: .seconds(1)))
    )
    let other = simulation.record(client.stream(query))
    simulation.settle()
    other.cancel()
    simulation.settle()
    last.cancel()
    simulation.advance(by: .seconds(1))
    #expect(client.diagnostics().isEmpty)
  }

  // O02
  @Test(arguments: [Duration.zero, .seconds(-5), .seconds(Int64.min / 2)])
  func noRetentionDropsTheEntryAsSoonAsNobodyWantsIt(gcTime: Duration) {
    let client = QueryClient(simulation: simulation)
    let recording = simulation.record(client.stream(Query("n") { 1 }.gcTime(gcTime)))
    simulation.advance(by: .hours(1))
    #expect(client.data(for: key) == 1)
    recording.cancel()
    simulation.settle()
    #expect(client.diagnostics().isEmpty)
  }

  // O02
  @Test(arguments: [Duration.seconds(Int64.max / 2), .seconds(3_155_760_001)])
  func endlessRetentionKeepsTheEntry(gcTime: Duration) {
    let client = QueryClient(simulation: simulation)
    simulation.run { await client.prefetch(Query("n") { 1 }.gcTime(gcTime)) }
    simulation.advance(by: .hours(24 * 365 * 99))
    #expect(client.data(for: key) == 1)
    #expect(simulation.isIdle)
  }

  @Test(arguments: [
    Duration.zero, .seconds(-1), .seconds(Int64.min), .seconds(Int64.max),
    .nanoseconds(1), .seconds(3_155_760_000),
    Duration(secondsComponent: 0, attosecondsComponent: 1),
  ])
  func anyDurationIsTakenEverywhere(duration: Duration) {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(Boom()), .value(1))
    let query = Query.scripted("n", fetch)
      .staleTime(duration).gcTime(duration).retry(1) { _ in duration }
      .refetchInterval(duration).onAbandonment(.linger(duration))
    let options = ObserverOptions(
      staleTime: .after(duration),
      gcTime: duration,
      refetchInterval: .every(duration),
      refetchIntervalInBackground: .every(duration),
      linger: duration
    )
    let one = simulation.record(client.stream(query))
    let two = simulation.record(client.stream(query, options: options))
    simulation.advance(by: .milliseconds(20))
    one.cancel()
    two.cancel()
    simulation.advance(by: .milliseconds(20))
    client.setData(3, for: key)
    client.clear()
    simulation.settle()
    #expect(simulation.isIdle)
    #expect(fetch.callCount >= 1)
  }

  // O17 T14
  @Test func initialDataIsRealDataAskedForOnceAndAsOldAsItsDate() {
    let client = QueryClient(simulation: simulation)
    let asked = Dial(0)
    @Sendable func initial() -> Int? {
      asked.with { $0 += 1 }
      return 7
    }
    let fetch = ScriptedFetch<Int>(.value(8, after: .milliseconds(10)))
    let query = Query.scripted("n", fetch).staleTime(.seconds(10))
      .initialData(initial(), updatedAt: Simulation.startDate - 8)
    let first = simulation.record(client.stream(query))
    let second = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(5))
    #expect(asked.value == 1)
    #expect(fetch.callCount == 0)
    #expect(first.timeline == [at(0, .success(7)), at(2_000, .success(7))])
    #expect(first.values.map(\.isStale) == [false, true])
    #expect(first.values.map(\.isFetched) == [false, false])
    #expect(second.timeline == first.timeline)
    let third = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    #expect(
      third.timeline == [at(5_000, .success(7, isFetching: true)), at(5_010, .success(8))]
    )
  }

  // O17
  @Test func initialDataOfNothingSeedsNothingAndFillsAnEmptyEntryLater() {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>("n") { 1 }.enabled(false)
    let first = simulation.record(client.stream(query.initialData(nil)))
    simulation.settle()
    let second = simulation.record(client.stream(query.initialData(5)))
    simulation.settle()
    #expect(first.summaries == [.pending(), .success(5)])
    #expect(second.summaries == [.success(5)])
  }

  // O15 T15
  @Test func aPlaceholderStandsInAndIsNeverCached() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let query = Query.scripted("n", fetch).placeholder(-1)
    let recording = simulation.record(client.stream(query))
    let plain = simulation.record(client.stream(.scripted("n", fetch)))
    #expect(ResultSummary(client.result(for: query)) == .placeholder(-1, isFetching: true))
    #expect(client.data(for: key) == nil)
    simulation.advance(by: .milliseconds(10))
    client.remove(key)
    simulation.settle()
    #expect(
      recording.timeline == [
        at(0, .placeholder(-1, isFetching: true)), at(10, .success(1)), at(10, .placeholder(-1)),
      ]
    )
    #expect(
      plain.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success(1)), at(10, .pending()),
      ]
    )
    #expect(recording.values.map(\.dataUpdatedAt).first == .some(nil))
  }

  // O15
  @Test func aPlaceholderGivesWayToAnError() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(Boom(), after: .milliseconds(10)))
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).placeholder(-1).retry(.never))
    )
    simulation.advance(by: .milliseconds(10))
    #expect(
      recording.timeline == [
        at(0, .placeholder(-1, isFetching: true)), at(10, .failure(Boom())),
      ]
    )
  }

  @Test(arguments: [Duration.seconds(1_000_000), .seconds(-1_000_000)])
  func aJumpOfTheWallClockChangesDatesAndNoAge(jump: Duration) {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1))
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).staleTime(.seconds(10)))
    )
    simulation.advance(by: .seconds(5))
    simulation.setWallClock(offset: jump)
    simulation.advance(by: .milliseconds(4_999))
    #expect(recording.values.last?.isStale == false)
    #expect(client.diagnostics().map(\.age) == [.milliseconds(9_999)])
    simulation.advance(by: .milliseconds(1))
    #expect(recording.values.last?.isStale == true)
    client.setData(2, for: key)
    let shown = client.result(for: key).dataUpdatedAt
    #expect(
      shown == Simulation.startDate + 10 + Double(jump.components.seconds)
    )
  }
}

/// A clock whose time a test sets, also backwards; its sleeps are the simulation's.
struct JumpingClock: Clock {
  typealias Instant = SimulationClock.Instant

  let base: SimulationClock
  let offset: Dial<Duration>

  var now: Instant { base.now.advanced(by: offset.value) }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await base.sleep(until: deadline.advanced(by: .zero - offset.value), tolerance: nil)
  }
}

@Suite struct JumpingClockTests {
  @Test func timeNeverRunsBackAndNothingIsShownTwice() {
    let simulation = Simulation(seed: 29)
    let offset = Dial(Duration.zero)
    let client = QueryClient(simulation: simulation) {
      $0.clock = JumpingClock(base: simulation.clock, offset: offset)
    }
    let fetch = ScriptedFetch<Int>(.value(1))
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).staleTime(.seconds(10)))
    )
    simulation.advance(by: .seconds(9))
    #expect(recording.values.map(\.isStale) == [true, false].suffix(recording.values.count))
    let seen = recording.values.count
    offset.value = .seconds(-100)
    client.setData(2, for: "m")
    simulation.advance(by: .milliseconds(500))
    #expect(recording.values.count == seen)
    #expect(client.diagnostics("n").allSatisfy { ($0.age ?? .seconds(-1)) >= .zero })
    offset.value = .seconds(1_000)
    client.setData(3, for: "m")
    simulation.advance(by: .seconds(2))
    #expect(recording.values.last?.isStale == true)
    offset.value = .seconds(-1_000_000)
    recording.cancel()
    simulation.advance(by: .seconds(1))
    #expect(simulation.leakReport().allSatisfy { $0.hasPrefix("sleepers") })
    simulation.shutDown()
  }
}
