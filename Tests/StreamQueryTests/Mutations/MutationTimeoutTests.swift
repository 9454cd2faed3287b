import StreamQuery
import StreamQueryTesting
import Testing

/// Attempts of mutations that take too long.
struct MutationTimeoutTests {
  private static let limit = #"an attempt of the mutation ["m"] took longer than 2.0 seconds"#

  let simulation = Simulation(seed: 28)
  let notes = Notes<String>()

  /// Answers after a second, unless it hangs.
  private func mutation(
    hangs: @escaping @Sendable (_ input: Int, _ attempt: Int) -> Bool
  ) -> Mutation<Int, Int> {
    let (notes, clock) = (notes, simulation.clock)
    return Mutation("m") { input, context in
      notes.add("\(clock.now.offset.milliseconds) \(input) begins \(context.attempt)")
      do {
        let isHanging = hangs(input, context.attempt)
        try await Scheduling.current.clock.sleep(for: .seconds(isHanging ? 36_000 : 1))
      } catch {
        notes.add("\(clock.now.offset.milliseconds) \(input) is cancelled")
        throw error
      }
      return input + 100
    }
    .timeout(.seconds(2))
  }

  /// What the callers get, with the time.
  private func start(_ mutation: Mutation<Int, Int>, _ input: Int, on client: QueryClient) {
    let (notes, clock) = (notes, simulation.clock)
    simulation.task {
      do {
        let output = try await client.mutate(mutation, with: input)
        notes.add("\(clock.now.offset.milliseconds) \(input) got \(output)")
      } catch {
        notes.add("\(clock.now.offset.milliseconds) \(input) threw \(error)")
      }
    }
    simulation.settle()
  }

  @Test func aHungRunFailsAndFreesItsScope() {
    let client = QueryClient(simulation: simulation)
    let mutation = mutation { input, _ in input == 1 }.scope("s")
    for input in 1...2 { start(mutation, input, on: client) }
    simulation.advance(by: .minutes(1))
    expectEqual(
      notes.all.sorted(),
      [
        "0 1 begins 0", "2000 1 is cancelled", "2000 1 threw \(Self.limit)", "2000 2 begins 0",
        "3000 2 got 102",
      ]
    )
    expectEqual(simulation.leakReport(), [])
  }

  @Test func itsChangesAreRolledBackAndItsCallbacksCalled() {
    let client = QueryClient(simulation: simulation)
    let key = QueryKey<Int>("n")
    client.setData(0, for: key)
    let notes = notes
    let mutation = mutation { _, _ in true }
      .optimistic { input, changes in changes.update(key) { $0 = input } }
      .onError { error, context in notes.add("onError \(context.input) \(error)") }
    start(mutation, 1, on: client)
    expectEqual(client.data(for: key), 1)
    simulation.advance(by: .seconds(2))
    expectEqual(client.data(for: key), 0)
    #expect(notes.all.contains("onError 1 \(Self.limit)"))
    #expect(
      client.run(of: mutation).error as? QueryError
        == .mutationTimedOut(
          key: #"["m"]"#,
          limit: .seconds(2)
        )
    )
  }

  @Test func eachAttemptHasItsOwnTimeAndAllHaveOneKey() {
    let client = QueryClient(simulation: simulation)
    let events = simulation.record(client.events)
    let keys = Notes<String>()
    let mutation = Mutation<Int, Int>("m") { input, context in
      keys.add("\(context.idempotencyKey) \(Request.name)")
      let time = context.attempt < 2 ? 3 : 1
      try await Scheduling.current.clock.sleep(for: .seconds(time))
      return input + 100
    }
    .timeout(.seconds(2))
    .retry(2)
    Request.$name.withValue("ada") { start(mutation, 1, on: client) }
    simulation.advance(by: .minutes(1))
    expectEqual(notes.all, ["8000 1 got 101"])
    expectEqual(keys.all.count, 3)
    expectEqual(Set(keys.all).count, 1)
    expectEqual(keys.all.first?.hasSuffix(" ada"), true)
    let failures = events.values.filter { event in
      if case .mutation(.attemptFailed) = event.kind { true } else { false }
    }
    expectEqual(failures.count, 2)
    expectEqual(simulation.leakReport(), [])
  }

  private enum Request {
    @TaskLocal static var name = "nobody"
  }

  /// It ignores that it was cancelled.
  @Test func whatALateAttemptStillReturnsIsIgnored() {
    let client = QueryClient(simulation: simulation)
    let first = Dial<CheckedContinuation<Int, Never>?>(nil)
    let mutation = Mutation<Int, Int>("m") { input, context in
      if context.attempt == 0 { return await withCheckedContinuation { first.value = $0 } }
      try await Scheduling.current.clock.sleep(for: .seconds(1))
      return input + 100
    }
    .timeout(.seconds(2))
    .retry(1)
    start(mutation, 1, on: client)
    simulation.advance(by: .milliseconds(2_500))
    first.value?.resume(returning: 7)
    simulation.advance(by: .minutes(1))
    expectEqual(notes.all, ["4000 1 got 101"])
  }

  @Test func anAttemptThatIsCancelledMeanwhileDoesNotFail() {
    let client = QueryClient(simulation: simulation)
    start(mutation { _, _ in true }.retry(.forever), 1, on: client)
    simulation.advance(by: .seconds(1))
    client.cancelMutations()
    simulation.advance(by: .minutes(1))
    expectEqual(
      notes.all,
      ["0 1 begins 0", "1000 1 is cancelled", "1000 1 threw CancellationError()"]
    )
    expectEqual(simulation.leakReport(), [])
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func withoutTimeAnAttemptFails(limit: Duration) {
    let client = QueryClient(simulation: simulation)
    start(mutation { _, _ in true }.timeout(limit), 1, on: client)
    simulation.advance(by: .seconds(1))
    #expect(notes.all.contains { $0.hasPrefix("0 1 threw an attempt of the mutation") })
  }

  @Test(arguments: [Duration.seconds(Int64.max), Duration(attoseconds: .max)])
  func enormousLimitsAreNone(limit: Duration) {
    let client = QueryClient(simulation: simulation)
    start(mutation { _, _ in false }.timeout(limit), 1, on: client)
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all, ["0 1 begins 0", "1000 1 got 101"])
  }

  @Test func theDefaultsOfAKeyLimitItsMutations() {
    let client = QueryClient(simulation: simulation)
    var options = MutationOptions()
    options.timeout = .milliseconds(500)
    client.setMutationDefaults(options, for: "m")
    start(.slow(simulation: simulation), 1, on: client)
    start(.slow("m", 1_000, simulation: simulation), 2, on: client)
    simulation.advance(by: .seconds(2))
    expectEqual(
      notes.all,
      [
        "10 1 got 101",
        #"500 2 threw an attempt of the mutation ["m"] took longer than 0.5 seconds"#,
      ]
    )
  }

  /// Paused before its first attempt and between two.
  @Test func waitingForTheNetworkTakesNoTime() {
    let online = ManualSignal(false)
    let client = QueryClient(simulation: simulation) {
      $0.connectivity = Connectivity { online }
    }
    simulation.settle()
    start(mutation { _, attempt in attempt == 0 }.retry(1), 1, on: client)
    simulation.advance(by: .minutes(1))
    online.send(true)
    simulation.advance(by: .seconds(1))
    online.send(false)
    simulation.advance(by: .minutes(1))
    expectEqual(client.mutatingCount(), 1)
    online.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(notes.all.last, "122000 1 got 101")
  }
}
