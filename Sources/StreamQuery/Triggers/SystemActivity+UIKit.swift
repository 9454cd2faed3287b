#if canImport(UIKit) && !os(watchOS)
internal import Foundation
internal import UIKit

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
