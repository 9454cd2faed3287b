import StreamQuery
import StreamQueryTesting
import Synchronization
import Testing

@testable import StreamQueryUI

/// Commands of objects that were never given a client.
@MainActor
@Suite(.serialized)
struct NeverStartedTests: ObservedSuite {
  private final class Reports: Sendable {
    let all = Mutex<[ViewMisuse]>([])
  }

  private func reports(_ body: @MainActor () -> Void) -> [ViewMisuse] {
    let (reports, receive) = (Reports(), ViewMisuse.receive)
    defer {
      ViewMisuse.receive = receive
      ViewMisuse.reset()
    }
    ViewMisuse.reset()
    ViewMisuse.receive = { report in reports.all.withLock { $0.append(report) } }
    body()
    return reports.all.withLock { $0 }.filter { if case .neverStarted = $0 { true } else { false } }
  }

  @Test("refetching an object that was never started is reported once")
  func reported() {
    run { simulation, client in
      let told = reports {
        let observed = ObservedQuery(query("a"))
        observed.refetch()
        Task { await observed.refetch() }
        simulation.settle()
        expect(!observed.isFetching)
      }
      #if DEBUG
      expectEqual(told.count, 1)
      expectEqual(told.first.map { "\($0)".contains("start(using: client)") }, true)
      #else
      expectEqual(told, [])
      #endif
    }
  }

  @Test("so it is with an invalidation and a reset", arguments: [true, false])
  func otherCommands(invalidates: Bool) {
    run { simulation, client in
      let told = reports {
        let observed = ObservedQuery(query("a"))
        if invalidates { observed.invalidate() } else { observed.reset() }
        simulation.settle()
      }
      #if DEBUG
      expectEqual(told.count, 1)
      #else
      expectEqual(told, [])
      #endif
    }
  }

  @Test("an object that observes, or has observed, reports nothing")
  func started() {
    run { simulation, client in
      let told = reports {
        let observed = ObservedQuery(query("a"), client: client)
        observed.refetch()
        simulation.advance(by: .seconds(1))
        observed.stop()
        observed.refetch()
        simulation.settle()
      }
      expectEqual(told, [])
    }
  }
}
