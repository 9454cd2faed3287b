import StreamQuery
import Testing

@testable import StreamQueryTesting

struct PendingReportTests {
  // MARK: Words

  @Test func nothingIsSaidOfNothing() {
    expectEqual(
      PendingReport(now: .seconds(2)).lines,
      ["nothing is left to do; time stands at 2.0 seconds"]
    )
  }

  @Test func timersOfAQuietClientAreNamed() {
    let report = PendingReport(now: .seconds(2), nextDeadline: .seconds(300))
    expectEqual(
      report.lines,
      [
        """
        nothing is left to do; time stands at 2.0 seconds, and the next timer of a client is due in \
        298.0 seconds
        """
      ]
    )
  }

  @Test func everyActivityHasWords() {
    let report = PendingReport(work: [
      .init("a", .running),
      .init("b", .waitingForWork),
      .init("c", .resting(.seconds(1))),
      .init("d", .paused),
      .init("e", .queued),
    ])
    expectEqual(
      report.lines.prefix(5),
      [
        "a runs",
        "b runs, and waits for another fetch or run",
        "c waits 1.0 seconds for its next attempt",
        "d is paused: it waits for the network or the app",
        "e waits for the runs before it in its scope",
      ]
    )
  }

  @Test func whatSleepsOrIsSuspendedOrReadyIsNoUnknownWait() {
    let running = PendingReport(work: [.init("a", .running)])
    func saysUnknown(_ change: (inout PendingReport) -> Void) -> Bool {
      var report = running
      change(&report)
      return report.lines.contains { $0.contains("nothing that the simulation knows") }
    }
    let second = Liveness.Work("b", .running)
    let found = [
      saysUnknown { _ in },
      saysUnknown { $0.sleepers = 1 },
      saysUnknown { $0.suspendedCalls = 1 },
      saysUnknown { $0.readyJobs = 1 },
      saysUnknown {
        $0.work.append(second)
        $0.suspendedCalls = 1
      },
    ]
    expectEqual(found, [true, false, false, false, true])
  }

  // MARK: Runs that get stuck

  private let event = OutsideEvent()

  private func stuck(
    _ operation: (Simulation) throws -> Void
  ) -> String {
    let simulation = Simulation(onFailure: { _ in })
    _ = try? operation(simulation)
    expectEqual(simulation.failures.count, 1)
    return simulation.failures.first ?? ""
  }

  @Test func aFetchThatReallySleepsIsNamed() {
    let message = stuck { simulation in
      let client = QueryClient(simulation: simulation)
      let query = Query("user", 1) { [event] in try await event.value() }
      _ = try simulation.run { try await client.fetch(query) }
    }
    #expect(message.contains("would wait for ever"))
    #expect(message.contains("- a fetch of [\"user\", 1] runs\n"))
    #expect(message.contains("a real sleep, the network"))
    #expect(message.contains("Scheduling.current.clock"))
  }

  @Test func aFetchThatNobodyReleasesIsNamed() {
    let message = stuck { simulation in
      let client = QueryClient(simulation: simulation)
      let query = Query("user", 1, fetch: ScriptedFetch<Int>(.suspended))
      _ = try simulation.run { try await client.fetch(query) }
    }
    #expect(message.contains("- a fetch of [\"user\", 1] runs\n"))
    #expect(message.contains("calls of scripted fetches that are suspended: 1"))
    #expect(!message.contains("a real sleep"))
  }

  @Test(arguments: [ScriptedFetch<Int>(.never), ScriptedFetch<Int>()])
  func aFetchThatNobodyCanReleaseIsNamed(fetch: ScriptedFetch<Int>) {
    let message = stuck { simulation in
      let client = QueryClient(simulation: simulation)
      _ = try simulation.run { try await client.fetch(Query("user", 1, fetch: fetch)) }
    }
    expect(!fetch.release(returning: 1))
    #expect(message.contains("- a fetch of [\"user\", 1] runs\n"))
    #expect(message.contains("calls of scripted fetches that only a cancellation ends: 1"))
    #expect(!message.contains("release(returning:)"))
    #expect(!message.contains("a real sleep"))
  }

  @Test func aFetchThatWaitsForAnotherIsToldFromThatOne() {
    let message = stuck { simulation in
      let client = QueryClient(simulation: simulation)
      let inner = Query("inner", fetch: ScriptedFetch<Int>(.suspended))
      let outer = Query("outer") { [weak client] in try await client?.fetch(inner) ?? 0 }
      _ = try simulation.run { try await client.fetch(outer) }
    }
    #expect(message.contains("- a fetch of [\"inner\"] runs\n"))
    #expect(message.contains("- a fetch of [\"outer\"] runs, and waits for another fetch or run\n"))
    #expect(!message.contains("a real sleep"))
  }

  @Test func aPausedFetchIsNamed() {
    let message = stuck { simulation in
      let online = ManualSignal(false)
      let client = QueryClient(simulation: simulation) {
        $0.connectivity = Connectivity { online }
      }
      simulation.settle()
      let query = Query("user", 1, fetch: ScriptedFetch<Int>(.value(1)))
      _ = try simulation.run { try await client.fetch(query) }
      online.finish()
    }
    #expect(message.contains("- a fetch of [\"user\", 1] is paused: it waits for the network"))
  }

  @Test func aClientThatWasMadeWithoutTheSimulationIsNamed() {
    let client = QueryClient(configuration: .server)
    let query = Query("user", 1) { [event] in try await event.value() }
    let message = stuck { simulation in
      _ = try simulation.run { try await client.fetch(query) }
    }
    #expect(
      message.contains(
        "a fetch of [\"user\", 1], at a client that was made without the simulation"
      )
    )
    #expect(message.contains("QueryClient(simulation:)"))
    client.shutDown()
  }
}
