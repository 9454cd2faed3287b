#if canImport(WatchKit) && os(watchOS)
internal import Foundation
internal import WatchKit

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
