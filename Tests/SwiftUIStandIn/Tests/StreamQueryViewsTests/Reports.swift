import Foundation
import Synchronization

@testable import StreamQueryViews

/// Receives the reports of mistakes in views while a test runs.
final class Reports: Sendable {
  private let received = Mutex<[ViewMisuse]>([])

  var all: [ViewMisuse] { received.withLock { $0 } }

  /// Runs a test that has nothing reported yet, and no fallback client.
  @MainActor
  static func collected(_ body: (Reports) -> Void) {
    let reports = Reports()
    let (receive, make) = (ViewMisuse.receive, FallbackClient.make)
    defer {
      (ViewMisuse.receive, FallbackClient.make) = (receive, make)
      ViewMisuse.reset()
      FallbackClient.reset()
    }
    ViewMisuse.reset()
    FallbackClient.reset()
    ViewMisuse.receive = { report in reports.received.withLock { $0.append(report) } }
    body(reports)
  }
}

/// Runs something on a thread of its own, and returns when it is done.
@MainActor
func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  Thread {
    body()
    done.signal()
  }
  .start()
  done.wait()
}
