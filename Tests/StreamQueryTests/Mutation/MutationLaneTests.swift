import StreamQuery
import StreamQueryTesting
import Testing

/// Runs that wait for their own lane, and the order in which paused runs go on.
@Suite struct MutationLaneTests {
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
    #expect(client.mutatingCount() == 0)
    // The lane is free again.
    let next = try #require(outcome(of: simulation.start(inner, with: 1, on: client)))
    #expect(try next.get() == 2)
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
    #expect(try result.get() == 1)
    #expect(errors.all == [refusal])
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
    #expect(client.mutatingCount() == 0)
  }

  @Test(arguments: [nil, "t"])
  func anotherLaneOrNoneIsAwaited(scope: String?) throws {
    let client = QueryClient(simulation: simulation)
    let inner = inner(scope)
    let outer = Mutation("outer") { (input: Int, context: MutationContext) in
      try await context.client.mutate(inner, with: input)
    }.scope("s")
    let result = try #require(outcome(of: simulation.start(outer, with: 1, on: client)))
    #expect(try result.get() == 2)
  }

  @Test func theLaneOfAnotherClientIsAwaited() throws {
    let client = QueryClient(simulation: simulation)
    let other = QueryClient(simulation: simulation)
    let inner = inner()
    let outer = Mutation("outer") { (input: Int) in
      try await other.mutate(inner, with: input)
    }.scope("s")
    let result = try #require(outcome(of: simulation.start(outer, with: 1, on: client)))
    #expect(try result.get() == 2)
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
    #expect(try result.get() == 1)
    let task = try #require(left.value)
    #expect(try #require(outcome(of: task)).get() == 2)
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
    #expect(begun.all == [])
    online.send(true)
    simulation.settle()
    #expect(begun.all == [0, 1, 2, 4, 5, 6, 7])
    simulation.advance(by: .seconds(1))
    #expect(client.mutatingCount() == 0)
  }

  // On threads: whichever task runs first, and whether cancelled or not, all of a line come through.
  @Test func aLineOfPausedRunsComesThroughOnThreadsToo() async {
    let online = ManualSignal(false)
    let client = QueryClient(configuration: .init(connectivity: Connectivity { online }))
    let probe = Mutation("probe") { (input: Int) in input }
    // The network is known to be away once a run is paused.
    var isOffline = false
    while !isOffline {
      let observer = client.observer(of: probe)
      observer.start(with: 0)
      for await run in observer.runs where run.isPaused || run.isSuccess {
        isOffline = run.isPaused
        break
      }
    }
    let mutation = Mutation("m") { (input: Int) in input }
    let observers = (0..<200).map { number in
      let observer = client.observer(of: mutation)
      observer.start(with: number)
      return observer
    }
    online.send(true)
    observers[100].cancel()
    var ended = 0
    for observer in observers {
      for await run in observer.runs where run.isSuccess || run.isIdle || run.isError {
        ended += 1
        break
      }
    }
    #expect(ended == observers.count)
    #expect(client.mutatingCount(.mutation(mutation)) == 0)
  }
}
