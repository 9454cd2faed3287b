// The part of Dispatch that the sources use.
open class DispatchObject: @unchecked Sendable {
  init() {}
  open func activate() {}
  open func resume() {}
}

public struct DispatchTime: Comparable, Sendable {
  public var uptimeNanoseconds: UInt64 { 0 }
  public static func now() -> DispatchTime { DispatchTime() }
  public static func < (left: DispatchTime, right: DispatchTime) -> Bool { false }
}

public enum DispatchTimeInterval: Equatable, Sendable {
  case seconds(Int), milliseconds(Int), microseconds(Int), nanoseconds(Int), never
}

public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time }

@frozen public enum DispatchTimeoutResult: Sendable {
  case success, timedOut
}

public struct DispatchWorkItemFlags: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
}

public struct DispatchQoS: Sendable {
  public static let utility = DispatchQoS()
  public static let userInitiated = DispatchQoS()
  public static let `default` = DispatchQoS()
}

public final class DispatchQueue: DispatchObject, @unchecked Sendable {
  public init(label: String, qos: DispatchQoS = .default) {}
  public static var main: DispatchQueue { DispatchQueue(label: "main") }
  public static func global() -> DispatchQueue { DispatchQueue(label: "global") }
  @preconcurrency
  public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {}
  public func sync<T>(execute work: () throws -> T) rethrows -> T { try work() }
}

public final class DispatchSemaphore: DispatchObject, @unchecked Sendable {
  public init(value: Int) {}
  public func wait() {}
  public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
  @discardableResult public func signal() -> Int { 0 }
}

// `Sendable` for want of a module from before Swift 6: of such a one, a `@preconcurrency` import lets
// sources be captured.
public protocol DispatchSourceProtocol: AnyObject, Sendable {
  func setEventHandler(handler: (@Sendable () -> Void)?)
  func setCancelHandler(handler: (@Sendable () -> Void)?)
  func activate()
  func resume()
  func cancel()
}
public protocol DispatchSourceSignal: DispatchSourceProtocol {}
public protocol DispatchSourceRead: DispatchSourceProtocol {}
public protocol DispatchSourceMemoryPressure: DispatchSourceProtocol {
  var data: DispatchSource.MemoryPressureEvent { get }
}
private final class Source: DispatchSourceSignal, DispatchSourceRead, DispatchSourceMemoryPressure {
  var data: DispatchSource.MemoryPressureEvent { .warning }
  func setEventHandler(handler: (@Sendable () -> Void)?) {}
  func setCancelHandler(handler: (@Sendable () -> Void)?) {}
  func activate() {}
  func resume() {}
  func cancel() {}
}
public class DispatchSource: DispatchObject, @unchecked Sendable {
  public class func makeSignalSource(
    signal: Int32,
    queue: DispatchQueue? = nil
  ) -> any DispatchSourceSignal { Source() }
  public class func makeReadSource(
    fileDescriptor: Int32,
    queue: DispatchQueue? = nil
  ) -> any DispatchSourceRead { Source() }
  public struct MemoryPressureEvent: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let warning = MemoryPressureEvent(rawValue: 2)
    public static let critical = MemoryPressureEvent(rawValue: 4)
  }
  public class func makeMemoryPressureSource(
    eventMask: MemoryPressureEvent,
    queue: DispatchQueue? = nil
  ) -> any DispatchSourceMemoryPressure { Source() }
}
