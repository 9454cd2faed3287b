// The part of AppKit that the sources use.
@_exported import Foundation

@MainActor
open class NSApplication: NSObject {
  public class var shared: NSApplication { NSApplication() }
  override init() {}
  public struct OcclusionState: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let visible = OcclusionState(rawValue: 2)
  }
  public enum ActivationPolicy: Int, Sendable { case regular, accessory, prohibited }
  @discardableResult
  open func setActivationPolicy(_ policy: ActivationPolicy) -> Bool { true }
  public var isActive: Bool { true }
  public var isHidden: Bool { false }
  public var occlusionState: OcclusionState { .visible }
  nonisolated public static let didBecomeActiveNotification = Notification.Name("")
  nonisolated public static let didResignActiveNotification = Notification.Name("")
  nonisolated public static let willTerminateNotification = Notification.Name("")
  nonisolated public static let didChangeOcclusionStateNotification = Notification.Name("")
  nonisolated public static let didHideNotification = Notification.Name("")
  nonisolated public static let didUnhideNotification = Notification.Name("")
}

@MainActor public var NSApp: NSApplication! { nil }
