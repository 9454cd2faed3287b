import StreamQuery
import StreamQueryTesting
import StreamQueryUI
import Testing

@MainActor
struct ObservedMutationTests {
  private struct Broken: Error {}

  private func run(_ body: @MainActor (Simulation, QueryClient) -> Void) {
    for seed: UInt64 in 0..<10 {
      Simulation.onMainActor(seed: seed) { body($0, QueryClient(simulation: $0)) }
    }
  }

  /// Doubles its input after some time; fails for negative ones.
  private var double: Mutation<Int, Int> {
    let pause = ScriptedFetch(.value((), after: .milliseconds(10)))
    return Mutation("double") { (input: Int, _: MutationContext) in
      try await pause()
      if input < 0 { throw Broken() }
      return 2 * input
    }
  }

  private func text(_ observed: ObservedMutation<Int, Int>) -> String {
    let values = [observed.input, observed.output].map { $0.map(String.init) ?? "-" }
    return "\(observed.status) \(values[0]) \(values[1])\(observed.error == nil ? "" : " failed")"
  }

  @Test("U05: a button runs it, and each state shows")
  func runsShow() {
    run { simulation, client in
      let observed = ObservedMutation(double, client: client)
      let screen = Screen { text(observed) }
      observed.run(2)
      expect(observed.isPending && observed.input == 2)
      simulation.advance(by: .seconds(1))
      observed.run(-1)
      simulation.advance(by: .seconds(1))
      observed.reset()
      simulation.settle()
      expectEqual(
        screen.frames,
        [
          "idle - -", "pending 2 -", "success 2 4", "pending -1 -", "error -1 - failed", "idle - -",
        ]
      )
    }
  }

  @Test("a button runs the input of the failed run again, once, and nothing if none has failed")
  func failedRunsAreRunAgain() {
    run { simulation, client in
      let observed = ObservedMutation(double, client: client)
      let screen = Screen { text(observed) }
      observed.retry()
      simulation.settle()
      observed.run(-1)
      simulation.advance(by: .seconds(1))
      observed.retry()
      observed.retry()
      expect(observed.isPending && observed.input == -1)
      simulation.advance(by: .seconds(1))
      observed.run(2)
      simulation.advance(by: .seconds(1))
      observed.retry()
      simulation.advance(by: .seconds(1))
      expectEqual(
        screen.frames,
        [
          "idle - -", "pending -1 -", "error -1 - failed", "pending -1 -", "error -1 - failed",
          "pending 2 -", "success 2 4",
        ]
      )
    }
  }

  @Test("a run that ends with its client is not shown as running for ever")
  func aRunOfAClientThatEnds() {
    run { simulation, client in
      let observed = ObservedMutation(double, client: client)
      let screen = Screen { text(observed) }
      observed.run(2)
      simulation.settle()
      client.shutDown()
      simulation.settle()
      expectEqual(screen.frames, ["idle - -", "pending 2 -", "idle - -"])
    }
  }

  @Test("a run that cannot begin, because the client is shut down, shows that")
  func afterAShutdown() {
    run { simulation, client in
      let observed = ObservedMutation(double, client: client)
      observed.run(2)
      simulation.advance(by: .seconds(1))
      client.shutDown()
      simulation.settle()
      for _ in 1...2 {
        observed.run(3)
        observed.follow(double, using: client)
        observed.retry()
        simulation.settle()
        #expect(observed.isError && observed.error as? QueryError == .shutDown)
        expectNil(observed.output)
      }
      observed.follow(double, using: QueryClient(simulation: simulation))
      expect(observed.isIdle && observed.error == nil)
    }
  }

  @Test("a caller that waits for a run that cannot begin, or repeats a failed one, sees that too")
  func aWaitAndARetryAfterAShutdown() {
    run { simulation, _ in
      for input in [2, -2] {
        let client = QueryClient(simulation: simulation)
        let observed = ObservedMutation(double, client: client)
        observed.run(input)
        simulation.advance(by: .seconds(1))
        client.shutDown()
        simulation.settle()
        if input < 0 {
          observed.retry()
        } else {
          Task {
            await #expect(throws: QueryError.shutDown) { try await observed.mutate(3) }
          }
        }
        simulation.settle()
        #expect(observed.isError && observed.error as? QueryError == .shutDown)
        expect(observed.input == nil && observed.output == nil)
      }
    }
  }

  /// If each update changed what the view shows, the view would be updated for ever.
  @Test(
    "a view that names its mutation at each update is not drawn again for a run that cannot begin"
  )
  func anUpdateAfterAShutdown() {
    run { simulation, client in
      let observed = ObservedMutation(double, client: client)
      client.shutDown()
      simulation.settle()
      observed.run(2)
      let screen = Screen { text(observed) }
      observed.follow(double, using: client)
      simulation.settle()
      expectEqual(screen.frames, ["error - - failed"])
      #expect(observed.error as? QueryError == .shutDown)
    }
  }

  @Test("a context that resets a mutation applies nothing of the former run")
  func aResetInAContext() {
    run { simulation, client in
      let observed = ObservedMutation(Mutation("save") { (input: Int) in input }, client: client)
      observed.run(1)
      observed.changeContext = { change in
        observed.changeContext = nil
        observed.reset()
        change()
      }
      simulation.settle()
      expect(observed.isIdle && observed.input == nil && observed.output == nil)
    }
  }

  @Test("each property is tracked by itself")
  func readersOfTheOutputSeeOutputsOnly() {
    run { simulation, client in
      let observed = ObservedMutation(double.retry(1), client: client)
      let output = Screen { observed.output }
      let pending = Screen { observed.isPending }
      let failures = Screen { observed.failureCount }
      for input in [1, -1] {
        observed.run(input)
        simulation.advance(by: .seconds(10))
      }
      expectEqual(output.frames, [nil, 2, nil])
      expectEqual(pending.frames, [false, true, false, true, false])
      expectEqual(failures.frames, [0, 1, 2])
      expectEqual(observed.state.failureCount, 2)
    }
  }

  @Test("U06: a run and what it changes optimistically show in the same frame")
  func runsAndTheirChangesShowTogether() {
    run { simulation, client in
      let pause = ScriptedFetch(.value((), after: .milliseconds(10)))
      let query = Query<String>(key: "name")
      let rename = Mutation("rename") { (name: String, _: MutationContext) in
        try await pause()
        if name.isEmpty { throw Broken() }
      }
      .optimistic { (new: String, changes: inout OptimisticChanges) in
        changes.update(query.key) { $0 = new.isEmpty ? "nobody" : new }
      }
      .retry(0)
      client.setData("Ada", for: query)
      let name = ObservedQuery(query, client: client)
      let renaming = ObservedMutation(rename, client: client)
      let other = ObservedMutation(rename, client: client)
      let screen = Screen { "\(name.data ?? "-") \(renaming.status)" }
      let both = Screen { "\(other.status) \(name.data ?? "-") \(renaming.status)" }
      simulation.settle()
      renaming.run("")
      expect(name.data == "nobody" && renaming.isPending)
      simulation.advance(by: .seconds(1))
      other.run("Alan")
      simulation.advance(by: .seconds(1))
      expectEqual(
        screen.frames,
        ["Ada idle", "nobody pending", "Ada error", "Alan error", "Ada error"]
      )
      expectEqual(
        both.frames,
        [
          "idle Ada idle", "idle nobody pending", "idle Ada error", "pending Alan error",
          "success Ada error",
        ]
      )
    }
  }

  @Test("U06: so they do for a caller that waits, whose run begins later than the call")
  func awaitedRunsAndTheirChangesShowTogether() {
    run { simulation, client in
      let pause = ScriptedFetch(.value((), after: .milliseconds(10)))
      let query = Query<String>(key: "name")
      let rename = Mutation("rename") { (_: String, _: MutationContext) in try await pause() }
        .optimistic { (new: String, changes: inout OptimisticChanges) in
          changes.update(query.key) { $0 = new }
        }
      client.setData("Ada", for: query)
      let name = ObservedQuery(query, client: client)
      let renaming = ObservedMutation(rename, client: client)
      let screen = Screen { "\(name.data ?? "-") \(renaming.status)" }
      Task { try await renaming.mutate("Alan") }
      simulation.advance(by: .seconds(1))
      expectEqual(screen.frames, ["Ada idle", "Alan pending", "Ada success"])
    }
  }

  @Test("U06: a caller may wait for the output or the error")
  func callersMayWait() {
    run { simulation, client in
      let observed = ObservedMutation(double, client: client)
      var lines: [String] = []
      Task {
        lines.append("\((try? await observed.mutate(4)) ?? 0) \(text(observed))")
        do {
          try await observed.mutate(-4)
        } catch {
          lines.append("\(error) \(text(observed))")
        }
      }
      simulation.advance(by: .seconds(1))
      expectEqual(lines, ["8 success 4 8", "Broken() error -4 - failed"])
    }
  }

  @Test("a newer run takes the place of an older one, which goes on")
  func theNewestRunShows() {
    run { simulation, client in
      let observed = ObservedMutation(double, client: client)
      observed.run(1)
      simulation.advance(by: .milliseconds(5))
      observed.run(2)
      simulation.advance(by: .milliseconds(5))
      expectEqual(text(observed), "pending 2 -")
      simulation.advance(by: .seconds(1))
      expectEqual(text(observed), "success 2 4")
      expectEqual(client.mutations().map(\.status), [.success, .success])
    }
  }

  @Test("a cancelled run is idle, and a released object's run goes on")
  func cancellingAndReleasing() {
    run { simulation, client in
      do {
        let observed = ObservedMutation(double, client: client)
        observed.run(1)
        observed.cancel()
        simulation.settle()
        expectEqual(text(observed), "idle - -")
        observed.run(2)
      }
      simulation.advance(by: .seconds(1))
      expectEqual(client.mutations().map(\.status), [.success])
      expect(simulation.isIdle)
    }
  }

  @Test("a run is kept for as long as its object shows it, and is let go with that")
  func nothingIsLeft() {
    run { simulation, client in
      do {
        let observed = ObservedMutation(double, client: client)
        observed.run(1)
        simulation.advance(by: .minutes(60))
        expect(text(observed) == "success 1 2" && client.mutations().count == 1)
      }
      simulation.advance(by: .minutes(60))
      expectEmpty(client.mutations())
    }
  }

  @Test("an object that gets another client shows its runs, and lets the former one go")
  func anotherClient() {
    run { simulation, client in
      let observed = ObservedMutation(double)
      weak var former: QueryClient?
      do {
        let other = QueryClient(simulation: simulation)
        former = other
        observed.follow(using: other)
        observed.run(1)
        simulation.advance(by: .seconds(1))
        expectEqual(text(observed), "success 1 2")
      }
      observed.follow(using: client)
      observed.run(2)
      simulation.advance(by: .seconds(1))
      expectEqual(text(observed), "success 2 4")
      expectNil(former)
    }
  }

  @Test("without a client nothing runs, and that shows")
  func withoutAClient() {
    run { simulation, client in
      let observed = ObservedMutation(double)
      observed.run(1)
      #expect(observed.isError && observed.error as? ObservationError == .noClient)
      observed.follow(using: client)
      expect(observed.isIdle && observed.error == nil)
      observed.run(1)
      observed.follow(double, using: client)
      simulation.advance(by: .seconds(1))
      expectEqual(text(observed), "success 1 2")
      observed.follow(using: QueryClient(simulation: simulation))
      expect(observed.isIdle)
    }
  }

  @Test func aMutationWithoutInputNeedsNone() {
    run { simulation, client in
      let log = FetchLog()
      let observed = ObservedMutation<Void, Void>(
        Mutation("log-out") { (_: Void, _: MutationContext) in log.add("out") },
        client: client
      )
      observed.run()
      Task { try await observed.mutate() }
      simulation.settle()
      expect(log.lines == ["out", "out"] && observed.isSuccess)
    }
  }
}
