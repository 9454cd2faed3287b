#if canImport(UIKit) || canImport(AppKit) || canImport(WatchKit)
internal import Dispatch
internal import Foundation

/// Receives the notifications of an app's life cycle on the main actor, where they are posted.
///
/// Observers are added, and the present state is read, in one job of the main queue, so that no change is
/// missed in between. Until that job has run, the state is unknown.
@MainActor
final class LifeCycle {
  /// A notification and the state that it means, read when it is posted.
  struct Notice {
    var name: Notification.Name
    var state: @MainActor @Sendable () -> Bool

    init(_ name: Notification.Name, state: @escaping @MainActor @Sendable () -> Bool) {
      self.name = name
      self.state = state
    }
  }

  /// The process has one history, because sources may start and stop several times.
  private static var history = ForegroundHistory()

  private var observers: [any NSObjectProtocol] = []

  private nonisolated init() {}

  /// A source that begins with the present state and changes with notifications.
  ///
  /// - Parameters:
  ///   - launchesInBackground: Whether an app is in the background at first, even if the user opens it; then
  ///     nothing is reported until the app has been in the foreground.
  ///   - present: The state now.
  ///   - notices: The notifications.
  /// - Returns: The source.
  nonisolated static func source(
    launchesInBackground: Bool,
    present: @escaping @MainActor @Sendable () -> Bool,
    notices: @escaping @MainActor @Sendable () -> [Notice]
  ) -> StateSource {
    StateSource(
      shared: SharedState { report in
        let lifeCycle = LifeCycle()
        let report = { @MainActor @Sendable (isActive: Bool) in
          let known = launchesInBackground ? history.reported(isInForeground: isActive) : isActive
          if let known { report(known) }
        }
        DispatchQueue.main.async {
          // This is safe, because the main actor runs on the main queue.
          MainActor.assumeIsolated {
            lifeCycle.observe(notices(), report: report)
            report(present())
          }
        }
        // The main queue keeps the order, so this runs after the start.
        return {
          DispatchQueue.main.async {
            // This is safe, because the main actor runs on the main queue.
            MainActor.assumeIsolated { lifeCycle.stop() }
          }
        }
      }
    )
  }

  /// Whether this process is an app extension; an extension has no application object to ask.
  static var isExtension: Bool { Bundle.main.bundlePath.hasSuffix(".appex") }

  private func observe(
    _ notices: [Notice],
    report: @escaping @MainActor @Sendable (Bool) -> Void
  ) {
    let center = NotificationCenter.default
    observers = notices.map { notice in
      let state = notice.state
      return center.addObserver(forName: notice.name, object: nil, queue: .main) { _ in
        // This is safe, because the main actor runs on the main queue.
        MainActor.assumeIsolated { report(state()) }
      }
    }
  }

  private func stop() {
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
    observers = []
  }
}
#endif
