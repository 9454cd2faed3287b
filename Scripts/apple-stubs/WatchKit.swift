// The part of WatchKit that the sources use.
@_exported import Foundation

public enum WKApplicationState: Int, Sendable { case active, inactive, background }

@MainActor
open class WKApplication: NSObject {
  override init() {}
  open class func shared() -> WKApplication { WKApplication() }
  open var applicationState: WKApplicationState { .active }
  nonisolated public class var willEnterForegroundNotification: Notification.Name { .init("") }
  nonisolated public class var didBecomeActiveNotification: Notification.Name { .init("") }
  nonisolated public class var didEnterBackgroundNotification: Notification.Name { .init("") }
}
