#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The facts that the cache has about one entry, without its value type.
///
/// Filters, dynamic options and ``QueryClient/diagnostics(_:)`` read this snapshot, which does not change
/// with the entry.
public struct QueryInfo: Sendable, _FreeOfActors {
  /// The key, without its value type.
  public let key: AnyQueryKey
  /// The name of the value type, with its module.
  public var valueTypeName: String { entryKey.valueTypeName }
  /// The number of observers of the entry, disabled ones included.
  public let observerCount: Int
  /// The number of callers that wait for the entry's fetch.
  public let waiterCount: Int
  /// The number of polls that failed since data was last fetched or written, or the entry was
  /// reset.
  ///
  /// An element of an endless stream counts as data.
  public let pollFailureCount: Int
  /// Whether there is an enabled observer.
  public let isActive: Bool
  /// Whether all observers are disabled, or there is no observer and never was a result.
  public let isDisabled: Bool
  /// Whether some observer treats the data as static.
  public let isStatic: Bool
  /// Whether the data is stale for some observer; without observers, whether it is missing or
  /// invalidated.
  public let isStale: Bool
  /// The metadata of the query; of several queries that share the key, the one that fetches counts.
  ///
  /// For a new query, an option that is a function sees that query's own metadata.
  public internal(set) var meta: QueryMeta
  /// How old the data is; `nil` without data.
  public let age: Duration?

  /// Whether the data is a part of a streamed value.
  ///
  /// The data stays a part in a store or an archive, and a fetch completes it after it was restored.
  package var isPart = false
  /// Whether an observer waits for a store, so that filters count the entry as active.
  ///
  /// ``isActive`` leaves this observer out: otherwise a condition that reads ``isActive`` could enable the
  /// observer because of itself.
  var awaitsStore = false
  package let entryKey: EntryKey
  let snapshot: EntrySnapshot

  /// Whether the entry was invalidated, or a fetch of it failed, since its data arrived.
  public var isInvalidated: Bool { snapshot.isInvalidated }
  /// Whether there is data, an error, or nothing yet; like ``data``, it includes the layers of mutations.
  public var status: QueryStatus { snapshot.status }
  /// The state of the fetch.
  public var fetchStatus: FetchStatus { snapshot.fetchStatus }
  /// The reason for the running fetch, or for the last one if none is running.
  public var cause: FetchCause? { snapshot.cause }
  /// The number of times that data arrived.
  public var dataUpdateCount: Int { snapshot.dataUpdateCount }
  /// The number of fetches that failed for good.
  public var errorUpdateCount: Int { snapshot.errorUpdateCount }
  /// The number of failed attempts of the running fetch, or of the last fetch if it failed; else 0.
  public var failureCount: Int { snapshot.failureCount }
  /// The error of the last fetch, if it failed.
  public var error: (any Error)? { snapshot.error?.error }
  /// The data, without its type.
  public var data: (any Sendable)? { snapshot.data?.erased }

  /// Whether mutations change the data that is shown.
  @_spi(Adapters) public var isOptimistic: Bool { snapshot.isOptimistic }
  /// The data without the layers of mutations, and without its type.
  @_spi(Adapters) public var baseData: (any Sendable)? { snapshot.base?.erased }

  /// The data with its type; like ``data``, it includes the layers of mutations.
  ///
  /// ```swift
  /// var options = ObserverOptions()
  /// options.enabled = .when { $0.value(as: User.self)?.name.isEmpty ?? true }
  /// ```
  ///
  /// - Parameter type: The value type of the query's key.
  /// - Returns: The data; `nil` if there is none, or if the key has another type.
  public func value<Value: Sendable>(as type: Value.Type) -> Value? {
    guard entryKey.valueTypeID == ObjectIdentifier(type) else { return nil }
    return snapshot.data?.value(as: type)
  }

  /// The date when the data was fetched or written.
  public var dataUpdatedAt: Date? {
    snapshot.base == nil
      ? nil : Date(timeIntervalSinceReferenceDate: snapshot.dataUpdatedAt.date)
  }
}

extension QueryInfo: CustomStringConvertible {
  /// A line for a log: `["user", 42]: success, idle, 2 observers, 3.0 seconds old, stale, …`.
  @_documentation(visibility: internal)
  public var description: String {
    var facts = ["\(status)", "\(fetchStatus)"]
    facts.append(observerCount == 1 ? "1 observer" : "\(observerCount) observers")
    if waiterCount > 0 { facts.append("\(waiterCount) waiting") }
    if let age { facts.append("\(age) old") }
    if isInvalidated { facts.append("invalidated") } else if isStale { facts.append("stale") }
    if failureCount > 0 { facts.append("failed \(failureCount) times") }
    if let cause { facts.append("fetched for \(cause.rawValue)") }
    return "\(key): " + facts.joined(separator: ", ")
  }
}
