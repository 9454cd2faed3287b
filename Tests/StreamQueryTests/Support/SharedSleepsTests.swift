import StreamQueryTesting
import Testing

@testable import StreamQuery

/// Sleeps of many clients on one timer.
@Suite struct SharedSleepsTests {
  let simulation = Simulation(seed: 12)
  let sleeps: SharedSleeps
  let woken = Notes<String>()

  init() {
    sleeps = SharedSleeps(clock: ErasedClock(simulation.clock), executor: simulation.executor)
  }

  private func begin(_ seconds: Int, _ name: String) -> Task<Void, Never> {
    let task = Task(executorPreference: simulation.executor) { [sleeps, woken] in
      do {
        try await sleeps.sleep(for: TimeSpan(.seconds(seconds)))
        woken.add(name)
      } catch {
        woken.add("\(name) left")
      }
    }
    simulation.settle()
    return task
  }

  @Test func eachWakesAtItsTimeAndTheOneThatLeavesLeavesNothing() {
    let tasks = [(3, "c"), (1, "a"), (2, "b"), (2, "d"), (9, "e")].map { begin($0.0, $0.1) }
    #expect(sleeps.count == 5)
    tasks[4].cancel()
    simulation.settle()
    #expect(sleeps.count == 4)
    simulation.advance(by: .seconds(1))
    #expect(woken.all == ["e left", "a"])
    simulation.advance(by: .seconds(1))
    #expect(Set(woken.all.suffix(2)) == ["b", "d"] && woken.count == 4)
    simulation.advance(by: .seconds(1))
    #expect(woken.all.last == "c")
    #expect(sleeps.count == 0)
  }

  @Test func aSleepOfNoTimeEndsAndACancelledTaskDoesNotBegin() {
    _ = begin(0, "now")
    simulation.advance(by: .zero)
    #expect(woken.all == ["now"])
    let task = Task(executorPreference: simulation.executor) { [sleeps, woken] in
      do { try await sleeps.sleep(for: TimeSpan(.seconds(1))) } catch { woken.add("left") }
    }
    task.cancel()
    simulation.settle()
    #expect(woken.all == ["now", "left"] && sleeps.count == 0)
  }

  @Test func accountsHaveOneTimerAndAClosedOneLeavesNoSleeper() async throws {
    let scopes = QueryScopes(
      in: MemoryStore(),
      configuration: .init(connectivity: .alwaysOnline, activity: .alwaysActive)
    )
    let (ada, bob) = (try await scopes.open("ada"), try await scopes.open("bob"))
    for client in [ada.client, bob.client] { client.setData(1, for: QueryKey<Int>("n")) }
    let shared = try #require(ada.client.configuration.sleeps)
    #expect(bob.client.configuration.sleeps === shared)
    try await ada.close()
    try await bob.close()
    #expect(shared.count == 0)
  }
}

/// The table of sleepers, in all orders of a few events.
@Suite struct SleeperTableTests {
  private enum Event: CaseIterable { case park, cancel, wake }

  @Test func everySleepEndsOnceWhateverHappensInWhichOrder() {
    var sequences: [[Event]] = [[]]
    for _ in 0..<4 {
      sequences += sequences.flatMap { begun in Event.allCases.map { begun + [$0] } }
    }
    for events in Set(sequences) where events.count { $0 == .park } <= 1 {
      var table = SleeperTable<Int>()
      let ticket = table.reserve()
      var (ends, isRefused) = ([String](), false)
      for event in events {
        switch event {
        case .park:
          isRefused = !table.park(7, on: ticket, until: Instant(nanoseconds: 5))
          if isRefused { ends.append("refused") }
        case .cancel:
          if table.cancel(ticket) == 7 { ends.append("cancelled") }
        case .wake:
          if table.takeDue(at: Instant(nanoseconds: 5)) == [7] { ends.append("woken") }
        }
      }
      let isParked = events.contains(.park)
      let isEnded = isParked && (isRefused || events.last != .park)
      #expect(ends.count == (isEnded ? 1 : 0), "\(events)")
      #expect(table.count == (isParked && ends.isEmpty ? 1 : 0), "\(events)")
      // The place is used again by another sleep, of which the old ticket knows nothing.
      if isEnded {
        let next = table.reserve()
        #expect(table.park(8, on: next, until: .zero))
        #expect(table.cancel(ticket) == nil)
        #expect(table.takeAll() == [8])
      }
    }
  }
}
