import StreamQuery
import StreamQueryTesting
import Testing

/// Who hears of the steps of a run, and who is left in peace.
struct MutationFollowerTests {
  /// Ways to follow runs of mutations that are not of the key `["m", 1]`.
  enum Stranger: CaseIterable {
    case stream, handle, filterByMutation, filterByKey, filterByPrefix, filterByRecord
    case filterByEither, filterByBoth, countByKey
  }

  private static func other(_ index: Int) -> Mutation<Int, Int> {
    Mutation("other", index) { $0 }
  }

  /// The jobs that one run takes, beside some who follow something else.
  private func jobs(beside count: Int, _ stranger: Stranger) -> Int {
    let simulation = Simulation(seed: 1)
    let client = QueryClient(simulation: simulation)
    var recordings: [any Sendable] = []
    for index in 0..<count {
      let other = Self.other(index)
      switch stranger {
      case .stream: recordings.append(simulation.record(client.runs(of: other)))
      case .handle:
        let handle = client.observer(of: other)
        recordings.append(simulation.record(handle.runs))
        recordings.append(handle)
      case .filterByMutation:
        recordings.append(simulation.record(client.runs(matching: .mutation(other))))
      case .filterByKey:
        recordings.append(simulation.record(client.runs(matching: .key(["m", index + 2]))))
      case .filterByPrefix:
        recordings.append(simulation.record(client.runs(matching: .prefix("m", index + 2))))
      case .filterByRecord:
        let filter = MutationFilter.prefix("other", fields: ["page": index])
        recordings.append(simulation.record(client.runs(matching: filter)))
      case .filterByEither:
        let filter = MutationFilter.key(["m", index + 2]) || .prefix("other")
        recordings.append(simulation.record(client.runs(matching: filter)))
      case .filterByBoth:
        let filter = MutationFilter.pending && .prefix("m", index + 2)
        recordings.append(simulation.record(client.runs(matching: filter)))
      case .countByKey:
        recordings.append(simulation.record(client.mutatingCountStream(.key(["m", index + 2]))))
      }
    }
    simulation.settle()
    let before = simulation.jobCount
    let mutation = Mutation("m", 1) { (input: Int) in input }
      .onMutate { _, _ in 1 }
      .onSettled { _, _ in }
    simulation.start(mutation, with: 1, on: client)
    expect(client.run(of: mutation).isSuccess)
    let jobs = simulation.jobCount - before
    withExtendedLifetime(recordings) {}
    return jobs
  }

  @Test(arguments: Stranger.allCases)
  func aRunWakesNobodyWhoFollowsSomethingElse(_ stranger: Stranger) {
    expectEqual(jobs(beside: 50, stranger), jobs(beside: 0, stranger))
  }

  @Test func whoeverFollowsARunIsWokenByIt() {
    let simulation = Simulation(seed: 2)
    let client = QueryClient(simulation: simulation)
    let mutation = Mutation<Int, Int>.slow(["m", 1], simulation: simulation)
    let handle = client.observer(of: mutation)
    let ofHandle = simulation.record(handle.runs)
    let ofMutation = simulation.record(client.runs(of: mutation))
    let filters: [MutationFilter] = [
      .all, .mutation(mutation), .key(["m", 1]), .prefix("m"), .prefix("m", 1), [],
      .pending || .key(["m", 1]), .key(["other"]) || .prefix("m"), !.key(["other"]),
      .where { _ in true }, .all && .prefix("m") && .mutation(mutation),
    ]
    let lists = filters.map { simulation.record(client.runs(matching: $0)) }
    let count = simulation.record(client.mutatingCountStream(.prefix("m")))
    simulation.settle()
    handle.start(with: 1)
    simulation.advance(by: .milliseconds(10))
    let steps = [
      RunSummary(0, "idle"), RunSummary(0, "pending 1"), RunSummary(10, "success 1 -> 101"),
    ]
    expectEqual(ofHandle.runs(), steps)
    expectEqual(ofMutation.runs(), steps)
    for list in lists {
      expectEqual(list.values.map { $0.map(\.status) }, [[], [.pending], [.success]])
    }
    expectEqual(count.values, [0, 1, 0])
    handle.reset()
    simulation.settle()
    expectEqual(ofHandle.runs(), steps + [RunSummary(10, "idle")])
    expectEqual(ofMutation.runs(), steps)
    client.clear()
    simulation.settle()
    expectEqual(ofMutation.runs(), steps + [RunSummary(10, "idle")])
    for list in lists { expectEqual(list.values.last?.isEmpty, true) }
  }

  @Test func aPrefixWithARecordHearsOfEveryRecordThatHasItsFields() {
    let simulation = Simulation(seed: 3)
    let client = QueryClient(simulation: simulation)
    let wide = Mutation("m", fields: ["page": 1, "size": 10]) { (input: Int) in input }
    let list = simulation.record(client.runs(matching: .prefix("m", fields: ["page": 1])))
    let nested = simulation.record(client.runs(matching: .prefix("n", [1])))
    simulation.settle()
    simulation.start(wide, with: 1, on: client)
    simulation.start(Mutation("n", [1, 2]) { (input: Int) in input }, with: 2, on: client)
    expectEqual(list.values.last?.map(\.status), [.success])
    expectEqual(nested.values.last?.map(\.status), [.success])
  }

  @Test func theNewestRunIsKeptUntilTheLastStreamOfItsMutationGoes() {
    let simulation = Simulation(seed: 4)
    let client = QueryClient(simulation: simulation)
    let mutation = Mutation("m") { (input: Int) in input }.gcTime(.seconds(10))
    let streams = (0..<3).map { _ in simulation.record(client.runs(of: mutation)) }
    simulation.start(mutation, with: 1, on: client)
    simulation.start(mutation, with: 2, on: client)
    simulation.advance(by: .seconds(9))
    expectEqual(client.mutations().count, 2)
    simulation.advance(by: .seconds(1))
    expectEqual(client.mutations().map { $0.input as? Int }, [2])
    streams[0].cancel()
    streams[1].cancel()
    simulation.advance(by: .seconds(60))
    expectEqual(client.mutations().count, 1)
    streams[2].cancel()
    simulation.advance(by: .seconds(9))
    expectEqual(client.mutations().count, 1)
    simulation.advance(by: .seconds(1))
    expectEmpty(client.mutations())
    expect(simulation.isIdle)
  }

  @Test func streamsShowTheRunBeforeWhenTheNewestIsCancelledAndKeepIt() {
    let simulation = Simulation(seed: 5)
    let client = QueryClient(simulation: simulation)
    let mutation = Mutation<Int, Int>.slow(simulation: simulation).gcTime(.seconds(10))
    simulation.start(mutation, with: 1, on: client)
    simulation.advance(by: .milliseconds(10))
    let stream = simulation.record(client.runs(of: mutation))
    simulation.settle()
    let second = simulation.start(mutation, with: 2, on: client)
    second.cancel()
    simulation.settle()
    expectEqual(
      stream.runs(),
      [
        RunSummary(10, "success 1 -> 101"), RunSummary(10, "pending 2"),
        RunSummary(10, "success 1 -> 101"),
      ]
    )
    simulation.advance(by: .seconds(60))
    expectEqual(client.mutations().count, 1)
    stream.cancel()
    simulation.advance(by: .seconds(10))
    expectEmpty(client.mutations())
  }

  @Test func streamsThatLeaveInAnyOrderLeaveTheOthersInPlace() {
    let simulation = Simulation(seed: 6)
    let client = QueryClient(simulation: simulation)
    let mutation = Mutation("m") { (input: Int) in input }
    var streams = (0..<40).map { ($0, simulation.record(client.runs(of: mutation))) }
    simulation.settle()
    var left: [ResultRecording<MutationRun<Int, Int>>] = []
    for round in 1...30 {
      let place = Int(simulation.nextRandom() % UInt64(streams.count))
      let leaving = streams.remove(at: place).1
      leaving.cancel()
      left.append(leaving)
      simulation.start(mutation, with: round, on: client)
      for (_, stream) in streams { expectEqual(stream.values.last?.input, round) }
    }
    for (index, stream) in left.enumerated() {
      expect(stream.isFinished)
      #expect((stream.values.last?.input ?? 0) <= index)
    }
  }

  // MARK: What a run holds

  private final class Payload: Sendable {
    let onEnd: @Sendable () -> Void
    init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
    deinit { onEnd() }
  }

  @Test(arguments: [true, false])
  func aRunLetsGoOfItsWorkAndCallbacksWhenItIsOver(_ isShown: Bool) {
    let simulation = Simulation(seed: 7)
    let client = QueryClient(simulation: simulation)
    let gone = Notes<String>()
    func start(_ input: Int) {
      let work = Payload { gone.add("work \(input)") }
      let callback = Payload { gone.add("callback \(input)") }
      let mutation = Mutation("m") { (input: Int) -> Int in
        withExtendedLifetime(work) {}
        try await Scheduling.current.clock.sleep(for: .milliseconds(10))
        guard input == 1 else { throw Boom() }
        return 100
      }.onSettled { _, _ in
        withExtendedLifetime(callback) {}
        try await Scheduling.current.clock.sleep(for: .milliseconds(10))
      }.scope("s")
      simulation.start(mutation, with: input, on: client)
    }
    let list = isShown ? simulation.record(client.runs(matching: .all)) : nil
    start(1)
    simulation.advance(by: .milliseconds(19))
    expectEmpty(gone.all)
    simulation.advance(by: .milliseconds(1))
    expectEqual(gone.all.sorted(), ["callback 1", "work 1"])
    start(2)
    simulation.advance(by: .milliseconds(20))
    expectEqual(gone.all.sorted(), ["callback 1", "callback 2", "work 1", "work 2"])
    let runs = client.mutations()
    expectEqual(runs.map(\.status), [.success, .error])
    expectEqual(runs.map(\.scope), ["s", "s"])
    expectEqual(runs.map(\.key), [["m"], ["m"]])
    withExtendedLifetime(list) {}
  }
}
