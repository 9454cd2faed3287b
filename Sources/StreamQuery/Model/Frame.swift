/// One version of an entry's state, immutable and shared by all who look at it.
///
/// A frame is swapped whole, so no reader ever sees half of a change. What differs between observers
/// (`isStale`, `isEnabled` …) is not in it: see ``QueryFlags``.
package final class Frame: Sendable {
  /// Unique within a client; grows with time.
  package let version: UInt64
  /// Whose state it is, so that operators tell a key that was left from one that lost its data;
  /// `nil` for a key that has no entry.
  package let key: EntryKey?
  /// What lies below the layers of mutations: cached data, or what stands in for it.
  package let base: ValueBox?
  /// The data with the layers of mutations over it; `nil` without any.
  let layered: LayeredBox?
  /// Whether ``base`` was never cached, and layers may show something else.
  let isStandIn: Bool
  /// Whether layers lie over the data, here or below a selection.
  let isOptimistic: Bool
  /// Whether what a selection was made of came from layers instead of what stands in for data.
  private let replacesStandIn: Bool
  /// The error that is shown.
  package let error: ErrorBox?
  package let failureReason: ErrorBox?
  package let dataUpdatedAt: Timestamp
  package let errorUpdatedAt: Timestamp
  package let errorUpdateCount: Int
  package let dataUpdateCount: Int
  package let failureCount: Int
  package let fetchStatus: FetchStatus
  package let isInvalidated: Bool
  package let cause: FetchCause?
  /// Which page the running fetch adds, or else the last one added.
  let direction: PageDirection?
  /// How the entry's pages follow each other, if its value is pages.
  let paging: PagingPlan?
  /// What ``base`` was made of, where it is not what the cache has.
  private let origin: Origin

  private enum Origin {
    case base
    case other(ValueBox?)
  }

  /// What the cache has, whatever is selected from it or stands in for it: what the rules of pages
  /// are asked about.
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
    facts: FrameFacts = FrameFacts(),
    data: ValueBox?,
    error: ErrorBox?,
    failureReason: ErrorBox?,
    paging: PagingPlan? = nil,
    layered: LayeredBox? = nil
  ) {
    self.version = version
    self.key = key
    base = data
    self.layered = layered
    isStandIn = false
    isOptimistic = layered != nil
    replacesStandIn = false
    self.error = error
    self.failureReason = failureReason
    dataUpdatedAt = facts.dataUpdatedAt
    errorUpdatedAt = facts.errorUpdatedAt
    errorUpdateCount = facts.errorUpdateCount
    dataUpdateCount = facts.dataUpdateCount
    failureCount = facts.failureCount
    isInvalidated = facts.isInvalidated
    cause = facts.cause
    direction = facts.direction
    self.paging = paging
    origin = .base
    fetchStatus = facts.fetchStatus
  }

  /// The same frame over other data: what a selection or a placeholder shows.
  ///
  /// - Parameters:
  ///   - base: What all the rest is taken from.
  ///   - data: The data.
  ///   - error: The error.
  ///   - errorUpdatedAt: When an error of an operator's own came about; `nil` is as in the base.
  package convenience init(
    _ base: Frame,
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
      replacesStandIn: !base.showsStandIn
    )
  }

  /// The same frame over what stands in for data where it is missing, below the same layers.
  convenience init(_ base: Frame, standIn: ValueBox) {
    self.init(base, data: standIn, error: nil, errorUpdatedAt: nil, layered: base.layered)
  }

  private init(
    _ base: Frame,
    data: ValueBox?,
    error: ErrorBox?,
    errorUpdatedAt: Timestamp?,
    layered: LayeredBox?,
    isStandIn: Bool? = nil,
    replacesStandIn: Bool = false,
    paging: PagingPlan? = nil
  ) {
    version = base.version
    key = base.key
    self.base = data
    self.layered = layered
    self.isStandIn = isStandIn ?? (layered != nil)
    isOptimistic = base.isOptimistic
    self.replacesStandIn = replacesStandIn
    self.error = error
    failureReason = base.failureReason
    dataUpdatedAt = base.dataUpdatedAt
    self.errorUpdatedAt = errorUpdatedAt ?? base.errorUpdatedAt
    errorUpdateCount = base.errorUpdateCount
    dataUpdateCount = base.dataUpdateCount
    failureCount = base.failureCount
    isInvalidated = base.isInvalidated
    cause = base.cause
    direction = base.direction
    self.paging = paging ?? base.paging
    origin = .other(base.source)
    fetchStatus = base.fetchStatus
  }

  /// The same frame under the rules of an infinite query, for an entry that was only written to.
  convenience init(_ base: Frame, paging: PagingPlan) {
    self.init(
      base,
      data: base.base,
      error: base.error,
      errorUpdatedAt: nil,
      layered: base.layered,
      isStandIn: base.isStandIn,
      replacesStandIn: base.replacesStandIn,
      paging: paging
    )
  }

  /// The state of a key that has no entry.
  package static let empty = Frame(
    version: 0,
    data: nil,
    error: nil,
    failureReason: nil
  )

  /// The data as it is shown.
  ///
  /// With layers it may run user code: never under the lock.
  package var data: ValueBox? {
    guard let layered else { return base }
    return layered.shown ?? (isStandIn ? base : nil)
  }

  /// Whether what is shown stands in for data, on a frame that has a stand-in.
  var showsStandIn: Bool {
    isStandIn ? layered.map { $0.shown == nil } ?? true : !replacesStandIn
  }

  package var status: QueryStatus {
    error != nil ? .error : data != nil ? .success : .pending
  }

  /// Whether two frames show the same to observers, whatever their versions and marks.
  package func showsTheSame(as other: Frame) -> Bool {
    base === other.base && layered === other.layered && isStandIn == other.isStandIn
      && error === other.error && failureReason === other.failureReason
      && fetchStatus == other.fetchStatus && dataUpdatedAt == other.dataUpdatedAt
      && errorUpdatedAt == other.errorUpdatedAt && errorUpdateCount == other.errorUpdateCount
      && dataUpdateCount == other.dataUpdateCount && failureCount == other.failureCount
      && cause == other.cause
      && direction == other.direction
      // Rules of the same query that was written down twice are the same rules.
      && (paging == nil) == (other.paging == nil)
  }
}
