#if canImport(Darwin) && !os(macOS)
internal import Dispatch
internal import Foundation
internal import Synchronization

extension BackgroundTime {
  /// An expiring activity: app extensions and watches have it, too.
  static let system = BackgroundTime { reason in
    let activity = Activity()
    ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpired in
      if isExpired { activity.ended() } else { activity.given() }
    }
    return { activity.ended() }
  }

  /// It lasts until the block returns that was told of it; the system gives that a thread of its own.
  private final class Activity: Sendable {
    private let time = Mutex(HeldTime())
    private let end = DispatchSemaphore(value: 0)

    func given() {
      if time.withLock({ $0.given() }) { end.wait() }
    }

    func ended() {
      if time.withLock({ $0.ended() }) { end.signal() }
    }
  }
}
#endif
