import StreamQuery
import StreamQueryTesting
import Testing

/// A shutdown may come from any code that a client calls.
struct ReentrantShutDownTests {
  enum Place: String, CaseIterable, Sendable {
    case onEvent, fetch, enabled, staleTime, initialData, merge, predicate, update, loop, mutation
  }

  @Test(arguments: Place.allCases) func aShutdownFromInsideEndsEverything(_ place: Place) {
    let simulation = Simulation(seed: 61)
    let holder = Dial<QueryClient?>(nil)
    let isArmed = Dial(false)
    @Sendable func visit(_ here: Place) {
      guard here == place, isArmed.value else { return }
      isArmed.value = false
      holder.value?.shutDown()
    }
    let client = QueryClient(simulation: simulation) { $0.onEvent = { _ in visit(.onEvent) } }
    holder.value = client
    let query = Query<Int>("n") {
      visit(.fetch)
      try await Scheduling.current.clock.sleep(for: .milliseconds(5))
      return 1
    }
    .enabled { _ in
      visit(.enabled)
      return true
    }
    .staleTime(
      .dynamic { _ in
        visit(.staleTime)
        return .after(.zero)
      }
    )
    .initialData(seed { visit(.initialData) })
    .merge { _, new in
      visit(.merge)
      return new
    }
    let needsData = place == .merge || place == .update
    isArmed.value = !needsData
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(10))
    if needsData { isArmed.value = true }
    simulation.task { for await _ in client.stream(query) { visit(.loop) } }
    simulation.task {
      await client.invalidate(
        .where { _ in
          visit(.predicate)
          return true
        }
      )
    }
    simulation.task {
      let mutation = Mutation<Int, Int>("m") { input in
        visit(.mutation)
        return input
      }
      _ = try? await client.mutate(mutation, with: 1)
    }
    simulation.settle()
    client.updateData(for: query) { value in
      value = (value ?? 0) + 1
      visit(.update)
    }
    simulation.advance(by: .seconds(1))
    expect(!isArmed.value)
    expect(recording.isFinished)
    expectEqual(simulation.leakReport(), [])
    holder.value = nil
  }
}

/// No initial data, and something done when it is asked for.
private func seed(_ body: () -> Void) -> Int? {
  body()
  return nil
}
