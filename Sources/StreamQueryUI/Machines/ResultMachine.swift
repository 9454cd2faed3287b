@_spi(Adapters) internal import StreamQuery
internal import StreamQueryOperators

/// Decides what an observed query shows, and which fields of it have changed for its readers.
///
/// A field counts as read until its next change: a reader that is told of a change reads again if
/// it still cares. So what nobody reads is neither compared nor announced.
///
/// A change has two steps, because readers are told before it and after it: ``arrived(_:)`` says
/// what will change, ``show(_:)`` changes it. A reader that is told may show something newer in
/// between, which stays.
struct ResultMachine<Stored: Sendable, Selected: Sendable> {
  /// The shown value: most observed queries show the stored one, and hold nothing else.
  private indirect enum Showing {
    case stored
    case made(Steps)
  }

  /// How the shown result is made from the stored one.
  fileprivate struct Steps {
    var keeping: _KeepPreviousDataStep<Stored>?
    /// Without one, both types are the same.
    var selecting: _SelectStep<Stored, Selected>?
    var shown = QueryResult<Selected>.idle
    /// The newest result, while nobody has read anything that it might concern.
    var unread: QueryResult<Stored>?

    mutating func take(_ result: QueryResult<Stored>) -> QueryResult<Selected>? {
      let kept = keeping?.take(result) ?? result
      return selecting == nil ? ResultMachine.asSelected(kept) : selecting?.take(kept)
    }

    /// Keeps only what is shown.
    mutating func forget() {
      if keeping != nil { keeping = _KeepPreviousDataStep() }
      selecting?.forget()
      unread = nil
    }
  }

  /// A result that is about to be shown.
  struct Arrival {
    fileprivate(set) var stored: QueryResult<Stored>
    fileprivate(set) var shown: QueryResult<Selected>
    /// The changed fields among those that somebody has read.
    fileprivate(set) var changed: ResultFields
    /// How many results had been shown before.
    fileprivate var revision: UInt32
  }

  /// A result with the selection of its data.
  struct Made {
    fileprivate var shown: QueryResult<Selected>
    fileprivate var steps: Steps
    /// How many results had been shown before.
    fileprivate var revision: UInt32
  }

  // In an order that leaves no gaps: there may be many observed queries.

  private var showing: Showing
  private var read = ResultFields()
  /// How many results were shown, to know whether one is still the newest.
  private(set) var revision: UInt32 = 0
  /// The newest result of the query.
  private(set) var stored = QueryResult<Stored>.idle

  /// Whether nothing has arrived yet.
  var isNew: Bool { revision == 0 }

  // Small and inlined: a call from generic code would look up the type of the machine each time.

  /// Shows what is stored.
  @inline(__always)
  init(keepsPreviousData: Bool) where Stored == Selected {
    showing = keepsPreviousData ? .made(Steps(keeping: _KeepPreviousDataStep())) : .stored
  }

  /// Shows a selection.
  init(_ selection: _SelectStep<Stored, Selected>, keepsPreviousData: Bool) {
    let keeping = keepsPreviousData ? _KeepPreviousDataStep<Stored>() : nil
    showing = .made(Steps(keeping: keeping, selecting: selection))
  }

  /// A stored result where nothing is selected.
  ///
  /// A closure that converts would be an object for each observed query.
  private static func asSelected(_ result: QueryResult<Stored>) -> QueryResult<Selected> {
    // The two types are one then, as the initialisers see to: the cast changes nothing.
    unsafeBitCast(result, to: QueryResult<Selected>.self)
  }

  /// The shown result.
  @inline(__always)
  var shown: QueryResult<Selected> {
    switch showing {
    case .stored: Self.asSelected(stored)
    case .made(let steps): steps.shown
    }
  }

  /// Somebody reads a field.
  ///
  /// - Parameter field: The field.
  /// - Returns: Whether it is the first to do so since the field has changed.
  @inline(__always) @discardableResult
  mutating func wasRead(_ field: ResultField) -> Bool { read.insert(field) }

  /// Whether what is stored is shown as it is: then nothing has to be made of a result.
  @inline(__always)
  var showsStored: Bool { if case .stored = showing { true } else { false } }

  // MARK: Without readers

  /// Whether a result can be shown without telling anybody, or making anything of it.
  @inline(__always)
  var showsAtOnce: Bool { showsStored && read.isEmpty }

  /// Shows a new result where ``showsAtOnce`` is true.
  @inline(__always)
  mutating func show(_ result: QueryResult<Stored>) {
    revision &+= 1
    stored = result
  }

  /// Takes a result that nobody has to be told of: nothing is made of it until it is read.
  ///
  /// - Parameter result: The result.
  /// - Returns: Whether it was taken; if somebody has read what it may change, nothing happens.
  @inline(__always)
  mutating func arrivedUnread(_ result: QueryResult<Stored>) -> Bool {
    guard read.isEmpty else { return false }
    if !showsStored { keepUnread(result) } else if !result.isSame(as: stored) { show(result) }
    return true
  }

  private mutating func keepUnread(_ result: QueryResult<Stored>) {
    guard case .made(var steps) = showing else { return }
    steps.unread = result
    showing = .made(steps)
  }

  /// Whether a result waits for a reader.
  @inline(__always)
  var hasUnread: Bool { if case .made(let steps) = showing { steps.unread != nil } else { false } }

  /// Hands out the result that waits for a reader.
  mutating func takeUnread() -> QueryResult<Stored>? {
    guard case .made(var steps) = showing, let result = steps.unread.take() else { return nil }
    showing = .made(steps)
    return result
  }

  // MARK: With readers

  /// Makes the selection of a new result.
  ///
  /// It changes nothing, because it runs the user's code, which may read what is shown.
  ///
  /// - Parameter result: The result.
  /// - Returns: `nil` if nothing has to be made.
  func made(of result: QueryResult<Stored>) -> Made? {
    guard case .made(var steps) = showing, !result.isSame(as: stored) else { return nil }
    return steps.take(result).map { Made(shown: $0, steps: steps, revision: revision) }
  }

  /// Decides what becomes of a new result with its selection.
  ///
  /// - Parameters:
  ///   - result: The result.
  ///   - made: What ``made(of:)`` has returned for it.
  /// - Returns: What to show; `nil` if that is shown already, or something newer.
  mutating func arrived(_ result: QueryResult<Stored>, _ made: Made) -> Arrival? {
    // The user's code may have shown something newer.
    guard made.revision == revision, !result.isSame(as: stored) else { return nil }
    var steps = made.steps
    // It may also have let something newer wait.
    if case .made(let present) = showing { steps.unread = present.unread }
    showing = .made(steps)
    return arrival(of: result, made.shown)
  }

  /// Decides what becomes of a new result.
  ///
  /// With a selection, for where nobody can call back while it is made.
  ///
  /// - Parameter result: The result.
  /// - Returns: What to show; `nil` if that is shown already.
  @inline(__always)
  mutating func arrived(_ result: QueryResult<Stored>) -> Arrival? {
    guard showsStored else { return made(of: result).flatMap { arrived(result, $0) } }
    return result.isSame(as: stored) ? nil : arrival(of: result, Self.asSelected(result))
  }

  /// Forgets what is kept beside what is shown.
  ///
  /// - Returns: What to show instead of that: nothing.
  mutating func forgotten() -> Arrival {
    if case .made(var steps) = showing {
      steps.forget()
      showing = .made(steps)
    }
    return arrival(of: .idle, .idle)
  }

  @inline(__always)
  private mutating func arrival(
    of result: QueryResult<Stored>,
    _ shown: QueryResult<Selected>
  ) -> Arrival {
    var changed = ResultFields()
    for field in read where differs(field, stored: result, shown: shown) { changed.insert(field) }
    read.remove(changed)
    return Arrival(stored: result, shown: shown, changed: changed, revision: revision)
  }

  /// Shows a result, unless another one was shown since it has arrived.
  @inline(__always)
  mutating func show(_ arrival: Arrival) {
    guard arrival.revision == revision else { return }
    revision &+= 1
    stored = arrival.stored
    guard case .made(var steps) = showing else { return }
    steps.shown = arrival.shown
    showing = .made(steps)
  }

  private func differs(
    _ field: ResultField,
    stored newStored: QueryResult<Stored>,
    shown new: QueryResult<Selected>
  ) -> Bool {
    let old = shown
    func pages(_ fact: KeyPath<PageFacts, Bool>) -> Bool {
      PageFacts(stored)?[keyPath: fact] ?? false != PageFacts(newStored)?[keyPath: fact] ?? false
    }
    return switch field {
    case .result: true
    case .data: !old.hasSameData(as: new)
    case .error: !old.hasSameError(as: new)
    case .status: old.status != new.status
    case .fetchStatus: old.fetchStatus != new.fetchStatus
    case .isPending: old.isPending != new.isPending
    case .isSuccess: old.isSuccess != new.isSuccess
    case .isError: old.isError != new.isError
    case .isFetching: old.isFetching != new.isFetching
    case .isPaused: old.isPaused != new.isPaused
    case .isLoading: old.isLoading != new.isLoading
    case .isRefetching: old.isRefetching != new.isRefetching
    case .isLoadingError: old.isLoadingError != new.isLoadingError
    case .isRefetchError: old.isRefetchError != new.isRefetchError
    case .isFetched: old.isFetched != new.isFetched
    case .isFetchedSinceSubscribing:
      old.isFetchedSinceSubscribing != new.isFetchedSinceSubscribing
    case .isStale: old.isStale != new.isStale
    case .isEnabled: old.isEnabled != new.isEnabled
    case .isPlaceholderData: old.isPlaceholderData != new.isPlaceholderData
    case .isOptimistic: old.isOptimistic != new.isOptimistic
    case .isRestoring: old.isRestoring != new.isRestoring
    case .dataUpdatedAt: old.dataUpdatedAt != new.dataUpdatedAt
    case .errorUpdatedAt:
      old.errorUpdateCount != new.errorUpdateCount || old.errorUpdatedAt != new.errorUpdatedAt
    case .failureCount: old.failureCount != new.failureCount
    case .failureReason:
      // Reasons cannot be compared, and there seldom is one.
      old.failureReason != nil || new.failureReason != nil
    case .cause: old.cause != new.cause
    case .hasNextPage: pages(\.hasNextPage)
    case .hasPreviousPage: pages(\.hasPreviousPage)
    case .isFetchingNextPage: pages(\.isFetchingNextPage)
    case .isFetchingPreviousPage: pages(\.isFetchingPreviousPage)
    case .isFetchNextPageError: pages(\.isFetchNextPageError)
    case .isFetchPreviousPageError: pages(\.isFetchPreviousPageError)
    }
  }
}
