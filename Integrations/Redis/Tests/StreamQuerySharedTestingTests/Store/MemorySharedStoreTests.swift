import StreamQuery
import StreamQueryShared
import StreamQuerySharedTesting
import StreamQueryTesting
import Testing

/// The store in virtual time: what waits, and what a fault does to it.
struct MemorySharedStoreTests {
  typealias Read = Result<SharedChanges, SharedStoreError>

  let simulation = Simulation()
  let store: MemorySharedStore
  let log = Log()

  init() { store = MemorySharedStore(simulation.scheduling) }

  /// Reads the log and notes when the answer came.
  @discardableResult
  func read(
    after position: SharedPosition? = nil,
    waiting wait: Duration = .seconds(10)
  ) -> Task<Void, Never> {
    simulation.task { [store, simulation, log] in
      let position = position ?? store.model.position
      do throws(SharedStoreError) {
        let found = try await store.changes(after: position, timeout: wait)
        let kinds = found.messages.map { "\($0.kind)" }
        log.add("\(simulation.now) \(found.isGap ? "gap" : "\(kinds.count)")")
      } catch {
        log.add("\(simulation.now) \(error)")
      }
    }
  }

  func invalidate() {
    simulation.task { [store] in _ = try? await store.invalidate([]) }
    simulation.settle()
  }

  @Test func aReaderWaitsForTheNextChange() {
    read()
    read()
    simulation.advance(by: .seconds(3))
    #expect(log.lines == [])
    invalidate()
    #expect(log.lines == ["3.0 seconds 1", "3.0 seconds 1"])
    #expect(simulation.isIdle)
  }

  @Test func aReaderWaitsNoLongerThanItSays() {
    read(waiting: .seconds(2))
    read(waiting: .zero)
    simulation.advance(by: .seconds(3))
    #expect(log.lines == ["0.0 seconds 0", "2.0 seconds 0"])
    #expect(simulation.isIdle)
  }

  @Test func aCancelledReaderLeavesAtOnce() {
    let task = read()
    simulation.advance(by: .seconds(1))
    task.cancel()
    simulation.settle()
    #expect(log.lines == ["1.0 seconds cancelled"])
    #expect(simulation.isIdle)
  }

  @Test func aCrashFailsWhoWaits() {
    read()
    simulation.settle()
    store.crash()
    simulation.settle()
    read()
    simulation.settle()
    let line = "0.0 seconds unavailable(\"The store has crashed.\")"
    #expect(log.lines == [line, line])
  }

  @Test func aPausedStoreAnswersWhenItGoesOn() {
    store.pause()
    invalidate()
    read()
    let cancelled = read()
    simulation.advance(by: .seconds(4))
    cancelled.cancel()
    simulation.settle()
    #expect(log.lines == ["4.0 seconds cancelled"])
    store.resume()
    simulation.settle()
    #expect(log.lines == ["4.0 seconds cancelled", "4.0 seconds 1"])
    #expect(simulation.isIdle)
  }

  @Test func aStoreThatForgotIsAGapForWhoWaits() {
    read()
    simulation.settle()
    store.crash()
    store.restart(forgetting: true)
    simulation.settle()
    #expect(log.lines == ["0.0 seconds gap"])
  }

  @Test func aReplicaThatLagsIsAGapForWhoKnewMore() {
    let replica = store.model
    invalidate()
    read()
    simulation.settle()
    store.failOver(to: replica)
    simulation.settle()
    #expect(log.lines == ["0.0 seconds gap"])
  }
}
