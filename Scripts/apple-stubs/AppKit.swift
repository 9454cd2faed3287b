// The part of AppKit that the sources use.
@_exported import Foundation

@MainActor
open class NSApplication: NSObject {
  public class var shared: NSApplication { NSApplication() }
  override init() {}
  public var isActive: Bool { true }
  nonisolated public static let didBecomeActiveNotification = Notification.Name("")
  nonisolated public static let didResignActiveNotification = Notification.Name("")
  nonisolated public static let willTerminateNotification = Notification.Name("")
}
