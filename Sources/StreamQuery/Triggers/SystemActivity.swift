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
  /// One set of observers per process.
  ///
  /// Only the background is inactive: `willResignActive` comes with every alert and every look at
  /// the control centre, and a return from those is no reason to refetch.
  static let systemActivity = LifeCycle.source(
    launchesInBackground: true,
    present: { isInForeground() },
    notices: {
      [
        LifeCycle.Notice(UIApplication.willEnterForegroundNotification) { true },
        LifeCycle.Notice(UIApplication.didBecomeActiveNotification) { true },
        LifeCycle.Notice(UIApplication.didEnterBackgroundNotification) { false },
        // The notifications that an extension gets from its host, by their raw names, since not
        // every platform of UIKit declares them.
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

  /// `UIApplication.shared` is looked up by name: code that extensions link must not mention it.
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
  /// One set of observers per process.
  ///
  /// Another app in front does not make this one inactive, since a window next to the one in use
  /// still counts as looked at. Before the first window is shown nothing is visible, which is a
  /// launch and not an absence: only a hidden app starts inactive.
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

  /// Asks `NSApp`, since `NSApplication.shared` would turn a command-line tool into an app.
  @MainActor
  private static func isVisible() -> Bool {
    guard let application = NSApp else { return true }
    return application.isActive || application.occlusionState.contains(.visible)
  }
}
#endif

#if canImport(WatchKit) && os(watchOS)
extension StateSource {
  /// One set of observers per process.
  ///
  /// Lowering the wrist makes an app resign, not leave: only the background is inactive.
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
  /// One signal source per process.
  static let systemActivity = StateSource(
    shared: SharedState { report in
      let queue = DispatchQueue(label: "StreamQuery.Activity", qos: .utility)
      let source = DispatchSource.makeSignalSource(signal: SIGCONT, queue: queue)
      source.setEventHandler {
        // A stopped process cannot report that it is away: it reports so afterwards.
        report(false)
        report(true)
      }
      // Not reported from here: the signal is lost until the source is installed, which takes a
      // moment.
      source.setRegistrationHandler { report(true) }
      source.activate()
      return { source.cancel() }
    }
  )
}
#endif

#if !os(Linux) && !canImport(UIKit) && !canImport(AppKit) && !canImport(WatchKit)
extension StateSource {
  /// This platform does not tell.
  static let systemActivity = StateSource(constant: true)
}
#endif
