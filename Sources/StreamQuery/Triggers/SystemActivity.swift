#if canImport(UIKit) && !os(watchOS)
internal import Foundation
internal import UIKit
#endif

#if canImport(AppKit) && !canImport(UIKit)
internal import AppKit
internal import Foundation
#endif

#if canImport(WatchKit) && os(watchOS)
internal import Foundation
internal import WatchKit
#endif

#if os(Linux)
@preconcurrency internal import Dispatch

#if canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif
#endif

#if canImport(UIKit) && !os(watchOS)
extension StateSource {
  /// The activity of the app; the process has one set of observers.
  ///
  /// Only the background is inactive: `willResignActive` comes with every alert and with the
  /// control centre, and a return from those is no reason to refetch.
  static let systemActivity = LifeCycle.source(
    launchesInBackground: true,
    present: { isInForeground() },
    notices: {
      [
        LifeCycle.Notice(UIApplication.willEnterForegroundNotification) { true },
        LifeCycle.Notice(UIApplication.didBecomeActiveNotification) { true },
        LifeCycle.Notice(UIApplication.didEnterBackgroundNotification) { false },
        // The notifications of an extension's host, by their raw names, because not every platform
        // of UIKit declares them.
        LifeCycle.Notice(Notification.Name("NSExtensionHostWillEnterForegroundNotification")) {
          true
        },
        LifeCycle.Notice(Notification.Name("NSExtensionHostDidBecomeActiveNotification")) { true },
        LifeCycle.Notice(Notification.Name("NSExtensionHostDidEnterBackgroundNotification")) {
          false
        },
      ]
    }
  )

  /// Whether the app is in the foreground.
  ///
  /// `UIApplication.shared` is looked up by name, because code that extensions link must not
  /// mention it.
  @MainActor
  private static func isInForeground() -> Bool {
    let shared = Selector(("sharedApplication"))
    guard
      !LifeCycle.isExtension,
      UIApplication.responds(to: shared),
      let application = UIApplication.perform(shared)?.takeUnretainedValue() as? UIApplication
    else { return true }
    return application.applicationState != .background
  }
}
#endif

#if canImport(AppKit) && !canImport(UIKit)
extension StateSource {
  /// The activity of the app; the process has one set of observers.
  ///
  /// Another app in front does not make this app inactive, because a window next to the one in use
  /// counts as visible. Before the first window is shown the app is being launched, and not inactive:
  /// only a hidden app starts inactive.
  static let systemActivity = LifeCycle.source(
    launchesInBackground: false,
    present: { NSApp.map { !$0.isHidden } ?? true },
    notices: {
      [
        LifeCycle.Notice(NSApplication.didBecomeActiveNotification) { true },
        LifeCycle.Notice(NSApplication.didResignActiveNotification) { isVisible() },
        LifeCycle.Notice(NSApplication.didChangeOcclusionStateNotification) { isVisible() },
        LifeCycle.Notice(NSApplication.didHideNotification) { false },
        LifeCycle.Notice(NSApplication.didUnhideNotification) { true },
      ]
    }
  )

  /// Whether the app is visible.
  ///
  /// This asks `NSApp`, because `NSApplication.shared` would turn a command-line tool into an app.
  @MainActor
  private static func isVisible() -> Bool {
    guard let application = NSApp else { return true }
    return application.isActive || application.occlusionState.contains(.visible)
  }
}
#endif

#if canImport(WatchKit) && os(watchOS)
extension StateSource {
  /// The activity of the app; the process has one set of observers.
  ///
  /// When the wrist is lowered, an app stays in the foreground, so only an app in the background is inactive.
  static let systemActivity = LifeCycle.source(
    launchesInBackground: true,
    present: {
      LifeCycle.isExtension || WKApplication.shared().applicationState != .background
    },
    notices: {
      [
        LifeCycle.Notice(WKApplication.willEnterForegroundNotification) { true },
        LifeCycle.Notice(WKApplication.didBecomeActiveNotification) { true },
        LifeCycle.Notice(WKApplication.didEnterBackgroundNotification) { false },
      ]
    }
  )
}
#endif

#if os(Linux)
extension StateSource {
  /// The activity of the process; there is one source of signals.
  static let systemActivity = StateSource(
    shared: SharedState { report in
      let queue = DispatchQueue(label: "StreamQuery.Activity", qos: .utility)
      let source = DispatchSource.makeSignalSource(signal: SIGCONT, queue: queue)
      source.setEventHandler {
        // A stopped process cannot report that it is inactive, so it reports this afterwards.
        report(false)
        report(true)
      }
      // The handler reports the state, because a signal is lost until the source is installed,
      // which takes a moment.
      source.setRegistrationHandler { report(true) }
      source.activate()
      return { source.cancel() }
    }
  )
}
#endif

#if !os(Linux) && !canImport(UIKit) && !canImport(AppKit) && !canImport(WatchKit)
extension StateSource {
  /// Always active: this platform does not tell.
  static let systemActivity = StateSource(constant: true)
}
#endif
