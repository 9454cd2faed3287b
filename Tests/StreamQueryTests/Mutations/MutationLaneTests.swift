import StreamQuery
import StreamQueryTesting
import Testing

/// Runs that wait for their own lane, and the order in which paused runs go on.
struct MutationLaneTests {
  let simulation = Simulation(seed: 17)

  private func inner(_ scope: String? = "s") -> Mutation<Int, Int> {
    let mutation = Mutation("inner") { (input: Int) in input + 1 }
    return scope.map { mutation.scope($0) } ?? mutation
  }

  private func outcome<Output>(
    of task: Task<Output, any Error>
  ) -> Result<Output, any Error>? {
    let result = Dial<Result<Output, any Error>?>(nil)
    simulation.task { result.value = await task.result }
    simulation.advance(by: .seconds(1))
    return result.value
  }

  private let refusal = QueryError.recursiveMutation(key: AnyQueryKey("inner").description)

  @Test func workThatAwaitsItsOwnLaneIsRefused() throws {
    let client = QueryClient(simulation: simulation)
    let inner = inner()
    let outer = Mutation("outer") { (input: Int, context: MutationContext) in
      try await context.client.mutate(inner, with: input)
    }.scope("s")
    let result = try #require(outcome(of: simulation.start(outer, with: 1, on: client)))
    #expect(throws: refusal) { try result.get() }
    expectEqual(client.mutatingCount(), 0)
    // The lane is free again.
    let next = try #require(outcome(of: simulation.start(inner, with: 1, on: client)))
    try expectEqual(next.get(), 2)
  }

  @Test func callbacksThatAwaitTheLaneOfTheirRunAreRefused() throws {
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { _ in } }
    let inner = inner()
    let errors = Notes<QueryError>()
    let outer = Mutation("outer") { (input: Int) in input }.scope("s")
      .onSuccess { output, context in
        do {
          _ = try await context.client.mutate(inner, with: output)
        } catch let error as QueryError {
          errors.add(error)
        }
      }
    let result = try #require(outcome(of: simulation.start(outer, with: 1, on: client)))
    try expectEqual(result.get(), 1)
    expectEqual(errors.all, [refusal])
  }

  @Test func aCircleThroughAnotherRunIsRefused() throws {
    let client = QueryClient(simulation: simulation)
    let inner = inner()
    let middle = Mutation("middle") { (input: Int, context: MutationContext) in
      try await context.client.mutate(inner, with: input)
    }
    let outer = Mutation("outer") { (input: Int, context: MutationContext) in
      try await context.client.mutate(middle, with: input)
    }.scope("s")
    let result = try #require(outcome(of: simulation.start(outer, with: 1, on: client)))
    #expect(throws: refusal) { try result.get() }
    expectEqual(client.mutatingCount(), 0)
  }

  // Who waits for a detached run waits for it as for any other.
  @Test func aCircleThroughADetachedRunIsRefused() throws {
    let client = QueryClient(simulation: simulation)
    let inner = inner()
    let middle = Mutation("middle") { (input: Int, context: MutationContext) in
      try await context.client.mutate(inner, with: input)
    }
    let outer = Mutation("outer") { (input: Int, context: MutationContext) in
      try await context.client.mutate(middle, with: input, detached: true)
    }.scope("s")
    let result = try #require(outcome(of: simulation.start(outer, with: 1, on: client)))
    #expect(throws: refusal) { try result.get() }
    expectEqual(client.mutatingCount(), 0)
  }

  @Test func aDetachedRunThatIsNotAwaitedAnyMoreWaitsItsTurn() throws {
    let client = QueryClient(simulation: simulation)
    let inner = inner()
    let (clock, executor) = (simulation.clock, simulation.executor)
    let middle = Mutation("middle") { (input: Int, context: MutationContext) in
      try await Scheduling.current.clock.sleep(for: .milliseconds(20))
      return try await context.client.mutate(inner, with: input)
    }
    let outer = Mutation("outer") { (input: Int, context: MutationContext) in
      _ = try? await context.client.mutate(middle, with: input, detached: true)
      // Deaf to cancellation.
      await Task(executorPreference: executor) { try? await clock.sleep(for: .milliseconds(50)) }
        .value
      return input
    }.scope("s")
    let caller = simulation.start(outer, with: 1, on: client)
    simulation.advance(by: .milliseconds(5))
    caller.cancel()
    simulation.advance(by: .seconds(1))
    expectEqual(client.run(of: middle).output, 2)
    expectEqual(client.mutatingCount(), 0)
  }

  @Test(arguments: 2...4)
  func runsThatWaitForEachOthersLanesInACircleAreRefused(count: Int) throws {
    let client = QueryClient(simulation: simulation)
    let callers = (0..<count).map { number in
      let inner = Mutation("inner", number) { (input: Int) in input }
        .scope("\((number + 1) % count)")
      let outer = Mutation("outer", number) { (input: Int, context: MutationContext) in
        try await Scheduling.current.clock.sleep(for: .milliseconds(10))
        return try await context.client.mutate(inner, with: input)
      }.scope("\(number)")
      return simulation.start(outer, with: number, on: client)
    }
    let results = callers.map { outcome(of: $0) }
    // Whoever asks last closes the circle; without it the others get through.
    expectEqual(results.count { (try? $0?.get()) != nil }, count - 1)
    for case .failure(let error)? in results {
      guard case .recursiveMutation? = error as? QueryError else {
        Issue.record(error)
        continue
      }
    }
    expectEqual(client.mutatingCount(), 0)
  }

  // One that waits for the lane of somebody who does not wait for it.
  @Test func runsThatCrossWithoutACircleGetThrough() throws {
    let client = QueryClient(simulation: simulation)
    let slow = Mutation<Int, Int>.slow("slow", 30, simulation: simulation).scope("t")
    let inner = inner("t")
    let outer = Mutation("outer") { (input: Int, context: MutationContext) in
      try await context.client.mutate(inner, with: input)
    }.scope("s")
    let first = simulation.start(slow, with: 1, on: client)
    let second = simulation.start(outer, with: 1, on: client)
    let third = simulation.start(self.inner(), with: 5, on: client)
    let results = [first, second, third].map { outcome(of: $0) }
    try expectEqual(results.map { try $0?.get() }, [101, 2, 6])
  }

  // T71
  @Test func aCallbackThatResumesPausedRunsDoesNotWaitForThoseBehindIt() throws {
    let client = QueryClient(simulation: simulation)
    let other = inner("t")
    let first = Mutation<Int, Int>.slow("first", 10, simulation: simulation).scope("s")
      .onSuccess { _, context in await context.client.resumeMutations() }
    let busy = Mutation<Int, Int>.slow("busy", 30, simulation: simulation).scope("t")
    simulation.start(busy, with: 1, on: client)
    simulation.start(first, with: 1, on: client)
    simulation.start(inner(), with: 1, on: client)
    simulation.start(other, with: 1, on: client)
    simulation.advance(by: .milliseconds(20))
    // It waits for the other lane only.
    expect(client.run(of: first).isPending)
    simulation.advance(by: .milliseconds(10))
    expectEqual(client.run(of: first).output, 101)
    simulation.advance(by: .milliseconds(1))
    expectEqual(client.mutatingCount(), 0)
  }

  // Who resumes a run waits for it as who started it does.
  @Test func aRunThatIsResumedByAnotherIsNotLetIntoItsLane() throws {
    let client = QueryClient(simulation: simulation)
    let inner = inner()
    let resumed = Mutation("resumed") { (input: Int, context: MutationContext) in
      try await context.client.mutate(inner, with: input)
    }.scope("t")
    let first = Mutation<Int, Int>.slow("first", 10, simulation: simulation).scope("s")
      .onSuccess { _, context in await context.client.resumeMutations() }
    let busy = Mutation<Int, Int>.slow("busy", 30, simulation: simulation).scope("t")
    simulation.start(busy, with: 1, on: client)
    simulation.start(first, with: 1, on: client)
    let caller = simulation.start(resumed, with: 1, on: client)
    let result = try #require(outcome(of: caller))
    #expect(throws: refusal) { try result.get() }
    expectEqual(client.mutatingCount(), 0)
  }

  @Test func callbacksThatResumeEachOthersRunsDoNotWaitForEachOther() {
    let client = QueryClient(simulation: simulation)
    let first = Mutation<Int, Int>.slow("first", 10, simulation: simulation).scope("s")
      .onSuccess { _, context in await context.client.resumeMutations() }
    let busy = Mutation<Int, Int>.slow("busy", 30, simulation: simulation).scope("t")
    let second = Mutation("second") { (input: Int, context: MutationContext) in
      await context.client.resumeMutations()
      return input
    }.scope("t")
    simulation.start(busy, with: 1, on: client)
    simulation.start(first, with: 1, on: client)
    simulation.start(second, with: 1, on: client)
    simulation.advance(by: .milliseconds(20))
    // Behind the first one, which waits for the second one already.
    simulation.start(inner(), with: 1, on: client)
    simulation.advance(by: .seconds(1))
    expectEqual(client.mutatingCount(), 0)
  }

  @Test(arguments: [nil, "t"])
  func anotherLaneOrNoneIsAwaited(scope: String?) throws {
    let client = QueryClient(simulation: simulation)
    let inner = inner(scope)
    let outer = Mutation("outer") { (input: Int, context: MutationContext) in
      try await context.client.mutate(inner, with: input)
    }.scope("s")
    let result = try #require(outcome(of: simulation.start(outer, with: 1, on: client)))
    try expectEqual(result.get(), 2)
  }

  @Test func theLaneOfAnotherClientIsAwaited() throws {
    let client = QueryClient(simulation: simulation)
    let other = QueryClient(simulation: simulation)
    let inner = inner()
    let outer = Mutation("outer") { (input: Int) in
      try await other.mutate(inner, with: input)
    }.scope("s")
    let result = try #require(outcome(of: simulation.start(outer, with: 1, on: client)))
    try expectEqual(result.get(), 2)
  }

  @Test func aTaskThatWorkLeavesBehindWaitsItsTurn() throws {
    let client = QueryClient(simulation: simulation)
    let inner = inner()
    let executor = simulation.executor
    let left = Dial<Task<Int, any Error>?>(nil)
    let outer = Mutation("outer") { (input: Int, context: MutationContext) in
      let client = context.client
      left.value = Task(executorPreference: executor) {
        try await client.mutate(inner, with: input)
      }
      return input
    }.scope("s")
    let result = try #require(outcome(of: simulation.start(outer, with: 1, on: client)))
    try expectEqual(result.get(), 1)
    let task = try #require(left.value)
    try expectEqual(#require(outcome(of: task)).get(), 2)
  }

  @Test(arguments: 0..<20)
  func pausedRunsBeginAgainInTheOrderOfTheirStart(seed: UInt64) {
    let simulation = Simulation(seed: seed)
    let online = ManualSignal(false)
    let client = QueryClient(simulation: simulation) { $0.connectivity = Connectivity { online } }
    simulation.settle()
    let begun = Notes<Int>()
    let mutation = Mutation("m") { (input: Int) in
      begun.add(input)
      try await Scheduling.current.clock.sleep(for: .seconds(1))
    }
    let observers = (0..<8).map { number in
      let observer = client.observer(of: mutation)
      observer.start(with: number)
      return observer
    }
    simulation.settle()
    // One that leaves holds up nobody.
    observers[3].cancel()
    simulation.settle()
    expectEqual(begun.all, [])
    online.send(true)
    simulation.settle()
    expectEqual(begun.all, [0, 1, 2, 4, 5, 6, 7])
    simulation.advance(by: .seconds(1))
    expectEqual(client.mutatingCount(), 0)
  }
}
