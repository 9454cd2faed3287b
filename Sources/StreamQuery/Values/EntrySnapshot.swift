/// One version of an entry's state, immutable and shared by all readers.
///
/// A snapshot is replaced as a whole, so no reader ever sees half of a change. The flags that
/// differ between observers (`isStale`, `isEnabled` …) are not part of it: see ``QueryFlags``.
package final class EntrySnapshot: Sendable {
  /// The number of the version: unique within a client, and larger than that of every earlier
  /// version.
  package let version: UInt64
  /// The entry's key, so that operators can tell a changed key from an entry that lost its data;
  /// `nil` for a key that has no entry.
  package let key: EntryKey?
  /// The data without the changes of mutations: cached data, or a placeholder for it.
  package let base: ValueBox?
  /// The data with the changes of mutations applied; `nil` without such changes.
  let layered: LayeredBox?
  /// Whether ``base`` is a placeholder, which was never cached; mutations may show something else
  /// over it.
  let isPlaceholder: Bool
  /// Whether a mutation changes the data that is shown, or the data from which a selection was made.
  let isOptimistic: Bool
  /// Whether a selection made ``base`` from the changes of mutations and not from the placeholder.
  private let replacesPlaceholder: Bool
  /// The error to show.
  package let error: ErrorBox?
  package let failureReason: ErrorBox?
  /// The parts that are neither data nor errors.
  let facts: SnapshotFacts
  /// The facts of the feature that made the entry's query, such as pages.
  let feature: QueryFeature?
  /// The cached value from which a selection made ``base``, if it is not ``base`` itself.
  private let origin: Origin

  private enum Origin {
    case base
    case other(ValueBox?)
  }

  package var dataUpdatedAt: Timestamp { facts.dataUpdatedAt }
  package var errorUpdatedAt: Timestamp { facts.errorUpdatedAt }
  package var errorUpdateCount: Int { facts.errorUpdateCount }
  package var dataUpdateCount: Int { facts.dataUpdateCount }
  package var failureCount: Int { facts.failureCount }
  package var fetchStatus: FetchStatus { facts.fetchStatus }
  package var isInvalidated: Bool { facts.isInvalidated }
  package var cause: FetchCause? { facts.cause }
  /// The part of the value that the running fetch fetches, or that the last one fetched.
  var part: FetchPart { facts.part }

  /// The cached value, without selection or placeholder: ``feature`` describes this value.
  var source: ValueBox? {
    switch origin {
    case .base: base
    case .other(let box): box
    }
  }

  @inline(__always)
  init(
    version: UInt64,
    key: EntryKey? = nil,
    facts: SnapshotFacts = SnapshotFacts(),
    data: ValueBox?,
    error: ErrorBox?,
    failureReason: ErrorBox?,
    feature: QueryFeature? = nil,
    layered: LayeredBox? = nil
  ) {
    self.version = version
    self.key = key
    base = data
    self.layered = layered
    isPlaceholder = false
    isOptimistic = layered != nil
    replacesPlaceholder = false
    self.error = error
    self.failureReason = failureReason
    self.facts = facts
    self.feature = feature
    origin = .base
  }

  /// Creates a copy of a snapshot with other data, for a selection or a placeholder.
  ///
  /// - Parameters:
  ///   - base: The snapshot that everything else is taken from.
  ///   - data: The data.
  ///   - error: The error.
  ///   - errorUpdatedAt: When an operator's own error occurred; `nil` keeps the time of the base.
  package convenience init(
    _ base: EntrySnapshot,
    data: ValueBox?,
    error: ErrorBox?,
    errorUpdatedAt: Timestamp? = nil
  ) {
    self.init(
      base,
      data: data,
      error: error,
      errorUpdatedAt: errorUpdatedAt,
      layered: nil,
      replacesPlaceholder: !base.showsPlaceholder
    )
  }

  /// Creates a copy of a snapshot with a placeholder for missing data, under the same changes of
  /// mutations.
  convenience init(_ base: EntrySnapshot, placeholder: ValueBox) {
    self.init(base, data: placeholder, error: nil, errorUpdatedAt: nil, layered: base.layered)
  }

  private init(
    _ base: EntrySnapshot,
    data: ValueBox?,
    error: ErrorBox?,
    errorUpdatedAt: Timestamp?,
    layered: LayeredBox?,
    isPlaceholder: Bool? = nil,
    replacesPlaceholder: Bool = false,
    feature: QueryFeature? = nil
  ) {
    version = base.version
    key = base.key
    self.base = data
    self.layered = layered
    self.isPlaceholder = isPlaceholder ?? (layered != nil)
    isOptimistic = base.isOptimistic
    self.replacesPlaceholder = replacesPlaceholder
    self.error = error
    failureReason = base.failureReason
    var facts = base.facts
    if let errorUpdatedAt { facts.errorUpdatedAt = errorUpdatedAt }
    self.facts = facts
    self.feature = feature ?? base.feature
    origin = .other(base.source)
  }

  /// Creates a copy of a snapshot with the feature of a query, for an entry that has no feature yet,
  /// because it was only written to.
  convenience init(_ base: EntrySnapshot, feature: QueryFeature) {
    self.init(
      base,
      data: base.base,
      error: base.error,
      errorUpdatedAt: nil,
      layered: base.layered,
      isPlaceholder: base.isPlaceholder,
      replacesPlaceholder: base.replacesPlaceholder,
      feature: feature
    )
  }

  /// The state of a key that has no entry.
  package static let empty = EntrySnapshot(
    version: 0,
    data: nil,
    error: nil,
    failureReason: nil
  )

  /// The data to show.
  ///
  /// If mutations change the data, this may run user code, so do not call it under the lock.
  package var data: ValueBox? {
    guard let layered else { return base }
    return layered.shown ?? (isPlaceholder ? base : nil)
  }

  /// Whether the placeholder is visible, if the snapshot has one.
  var showsPlaceholder: Bool {
    isPlaceholder ? layered.map { $0.shown == nil } ?? true : !replacesPlaceholder
  }

  package var status: QueryStatus {
    error != nil ? .error : data != nil ? .success : .pending
  }

  /// The status without the changes of mutations, for filters: the cache itself does not run layers.
  var baseStatus: QueryStatus {
    error != nil ? .error : base != nil ? .success : .pending
  }

  /// Whether two snapshots show the same to observers, even if they differ in version or in being
  /// invalidated.
  package func showsTheSame(as other: EntrySnapshot) -> Bool {
    base === other.base && layered === other.layered && isPlaceholder == other.isPlaceholder
      && error === other.error && failureReason === other.failureReason
      && facts.showTheSame(as: other.facts)
      // Only the presence is compared: a query that the code makes twice has two feature objects
      // that do the same.
      && (feature == nil) == (other.feature == nil)
  }
}

/// The parts of a snapshot that are neither data nor errors.
struct SnapshotFacts {
  var dataUpdatedAt = Timestamp.never
  var errorUpdatedAt = Timestamp.never
  var errorUpdateCount = 0
  var dataUpdateCount = 0
  var failureCount = 0
  var fetchStatus = FetchStatus.idle
  var isInvalidated = false
  var cause: FetchCause?
  /// The part of the value that the running fetch fetches, or that the last one fetched.
  var part = FetchPart.whole

  /// Whether other facts show the same to observers, even if they differ in being invalidated.
  @inline(__always)
  func showTheSame(as other: Self) -> Bool {
    fetchStatus == other.fetchStatus && dataUpdatedAt == other.dataUpdatedAt
      && errorUpdatedAt == other.errorUpdatedAt && errorUpdateCount == other.errorUpdateCount
      && dataUpdateCount == other.dataUpdateCount && failureCount == other.failureCount
      && cause == other.cause && part == other.part
  }
}

/// The facts that one observer sees in addition to the snapshot.
package struct QueryFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let stale = QueryFlags(rawValue: 1)
  package static let enabled = QueryFlags(rawValue: 2)
  package static let fetchedSinceSubscribing = QueryFlags(rawValue: 4)
  package static let placeholder = QueryFlags(rawValue: 8)
  package static let restoring = QueryFlags(rawValue: 16)
}
