// The part of UIKit that the sources use.
@_exported import Foundation

#if os(watchOS)
// A watch has colours, fonts and images of it, and no application.
#else
public struct Selector: Hashable, ExpressibleByStringLiteral {
  public init(_ name: String) {}
  public init(stringLiteral name: String) {}
}

@MainActor
open class UIApplication: NSObject {
  override init() {}
  public enum State: Int, Sendable { case active, inactive, background }
  open var applicationState: State { .active }
  open class func responds(to selector: Selector!) -> Bool { true }
  open class func perform(_ selector: Selector!) -> Unmanaged<AnyObject>! { nil }
  nonisolated public class var willEnterForegroundNotification: Notification.Name { .init("") }
  nonisolated public class var didBecomeActiveNotification: Notification.Name { .init("") }
  nonisolated public class var didEnterBackgroundNotification: Notification.Name { .init("") }
}
#endif
