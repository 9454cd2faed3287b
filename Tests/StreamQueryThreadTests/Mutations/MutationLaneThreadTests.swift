import StreamQuery
import StreamQueryTesting
import Testing

/// Runs on real threads: each comes to its end, and none leaves a layer or a lane behind.
struct MutationLaneThreadTests {
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
    expectEqual(ended, observers.count)
    expectEqual(client.mutatingCount(.mutation(mutation)), 0)
  }

  // On threads: lanes, layers, failures, retries, cancelled and detached callers, all at once.
  @Test func runsOfManyThreadsLeaveNoLayerAndNoLaneBehind() async throws {
    let client = QueryClient()
    let server = Dial<Set<Int>>([])
    let query = Query("set") { server.value }
    let stream = client.stream(query)
    let watching = Task { for await result in stream where !result.isSuccess && false {} }
    _ = try await client.fetch(query)
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<6 {
        group.addTask {
          for round in 0..<50 {
            let number = worker * 100 + round
            var mutation = Mutation("add") { (input: Int, context: MutationContext) in
              _ = try await context.client.fetch(Query("hop", input % 3) { input })
              if input % 5 == 0 { throw Boom(input) }
              server.with { _ = $0.insert(input) }
              return input
            }
            .retry(.times(number % 2).backoff(.constant(.zero)))
            .optimistic { input, changes in changes.update(query) { $0?.insert(input) } }
            .onSuccess { output, context in
              if output % 2 == 0 {
                context.client.updateData(for: query) { $0?.insert(output) }
              } else {
                await context.client.invalidate(query)
              }
            }
            if number % 4 != 0 { mutation = mutation.scope("\(number % 4)") }
            let run = mutation
            let caller = Task {
              try await client.mutate(run, with: number, detached: number % 9 == 0)
            }
            if number % 7 == 0 { caller.cancel() }
            _ = await caller.result
          }
        }
      }
    }
    for await count in client.mutatingCountStream() where count == 0 { break }
    await client.invalidate(query)
    let result = client.result(for: query)
    expect(!result.isOptimistic)
    expectEqual(result.data, server.value)
    for lane in 1...3 {
      let mutation = Mutation("last") { (input: Int) in input }.scope("\(lane)")
      try await expectEqual(client.mutate(mutation, with: lane), lane)
    }
    watching.cancel()
  }
}
