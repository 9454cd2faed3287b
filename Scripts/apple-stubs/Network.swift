// The part of Network that the sources use.
public import Dispatch

public struct NWPath: Equatable, Sendable {
  public enum Status: Equatable, Sendable { case satisfied, unsatisfied, requiresConnection }
  public var status: Status { .satisfied }
  public var isExpensive: Bool { false }
  public var isConstrained: Bool { false }
}

public final class NWPathMonitor: @unchecked Sendable {
  public init() {}
  public var currentPath: NWPath { NWPath() }
  @preconcurrency
  public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)?
  public func start(queue: DispatchQueue) {}
  public func cancel() {}
}
