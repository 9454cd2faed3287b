#if canImport(Darwin) && !os(macOS)
internal import Dispatch
internal import Foundation
internal import Synchronization
#endif

/// Asks the system for time to work after the app has left the screen.
struct BackgroundTime: Sendable {
  /// Gives the time back; may be called more than once.
  typealias End = @Sendable () -> Void

  /// Asks for time.
  ///
  /// If the system gives none, the work goes on, but the system may suspend the app.
  let begin: @Sendable (_ reason: String) -> End

  #if canImport(Darwin) && !os(macOS)
  /// The source of this system; `nil` where apps go on running without asking.
  static var platformDefault: Self? { system }
  #else
  /// The source of this system; `nil` where apps go on running without asking.
  static var platformDefault: Self? { nil }
  #endif
}

#if canImport(Darwin) && !os(macOS)
extension BackgroundTime {
  /// Asks for an expiring activity, which is available in app extensions and on watches, too.
  static let system = BackgroundTime { reason in
    let activity = Activity()
    ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpired in
      if isExpired { activity.ended() } else { activity.given() }
    }
    return { activity.ended() }
  }

  /// An expiring activity.
  ///
  /// An activity lasts until its block returns; the system calls that block on a thread of its own.
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
