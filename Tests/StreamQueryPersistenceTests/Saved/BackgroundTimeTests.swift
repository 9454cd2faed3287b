import StreamQueryTesting
import Testing

@testable import StreamQuery
import StreamQueryPersistence

/// The last save, when the app leaves the screen.
struct BackgroundTimeTests {
  private let simulation = Simulation()
  private let activity = ManualSignal(true)
  private let log = Notes<String>()

  private func client(_ store: SlowStore, asksForTime: Bool = true) -> QueryClient {
    let base = QueryClient.Configuration(
      connectivity: .alwaysOnline,
      activity: AppActivity { [activity] in activity },
      memoryPressure: .none
    )
    return QueryClient(simulation: simulation, configuration: base) { [log, simulation] in
      $0.persistence = Persistence(in: store)
      guard asksForTime else { return }
      $0.backgroundTime = BackgroundTime { _ in
        log.add("asked at \(simulation.clock.now.offset)")
        return { log.add("given back at \(simulation.clock.now.offset)") }
      }
    }
  }

  @Test func theTimeIsHeldUntilAllIsWritten() {
    let store = SlowStore(clock: simulation.clock) { $0.writing = .milliseconds(300) }
    let client = client(store)
    simulation.settle()
    client.setData(1, for: QueryKey<Int>("n"))
    activity.send(false)
    simulation.settle()
    expectEqual(log.all, ["asked at 0.0 seconds"])
    expectEqual(store.batches.count, 1)
    simulation.advance(by: .seconds(10))
    expectEqual(log.all, ["asked at 0.0 seconds", "given back at 0.3 seconds"])
    activity.send(true)
    simulation.settle()
    expectEqual(log.all.count, 2)
    client.shutDown()
  }

  @Test func aClientThatHasNothingToWriteGivesItBackAtOnce() {
    let store = SlowStore(clock: simulation.clock)
    let client = client(store)
    simulation.settle()
    activity.send(false)
    simulation.settle()
    expectEqual(log.all, ["asked at 0.0 seconds", "given back at 0.0 seconds"])
    client.shutDown()
  }

  @Test func whereAppsGoOnRunningItIsWrittenAtOnceAllTheSame() {
    let store = SlowStore(clock: simulation.clock)
    let client = client(store, asksForTime: false)
    simulation.settle()
    client.setData(1, for: QueryKey<Int>("n"))
    activity.send(false)
    simulation.settle()
    expect(store.batches.count == 1 && log.all.isEmpty)
    client.shutDown()
  }
}
