#if canImport(AppKit) && !canImport(UIKit)
internal import AppKit
internal import Foundation

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
