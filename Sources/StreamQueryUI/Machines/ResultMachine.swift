@_spi(Adapters) internal import StreamQuery
internal import StreamQueryOperators

/// Decides which result an observed query shows, and which fields have changed for its readers.
///
/// A field counts as read until its next change: a reader that is told of the change reads again if it still
/// needs the field. So unread fields are neither compared nor reported.
///
/// A change has two steps, because readers are told before it and after it: ``arrived(_:)`` returns the
/// change, and ``apply(_:)`` makes it. A reader that is told may make the object show a newer result between
/// the steps. Then the change is outdated, and ``apply(_:)`` has no effect.
struct ResultMachine<Stored: Sendable, Selected: Sendable> {
  /// The source of the shown result; most observed queries show the stored result itself.
  private indirect enum Showing {
    case stored
    case made(Steps)
  }

  /// The steps that make the shown result from the stored one.
  fileprivate struct Steps {
    var keeping: _KeepPreviousDataStep<Stored>?
    /// The selection; `nil` if stored and shown results have the same type.
    var selecting: _SelectStep<Stored, Selected>?
    var shown = QueryResult<Selected>.idle
    /// The newest result, if it is not shown yet because no field counts as read; `nil` otherwise.
    var unread: QueryResult<Stored>?

    mutating func take(_ result: QueryResult<Stored>) -> QueryResult<Selected>? {
      let kept = keeping?.take(result) ?? result
      return selecting == nil ? ResultMachine.asSelected(kept) : selecting?.take(kept)
    }

    /// Keeps a result that nobody reads yet.
    ///
    /// No selection is made from it. But if the key has lost its data, the former selection is forgotten,
    /// because it must not be shown beside a later error.
    mutating func keepUnread(_ result: QueryResult<Stored>) {
      unread = result
      // The data of an optimistic result is not read here, because the optimistic changes are user code.
      guard selecting != nil, !result.isOptimistic, result.data == nil else { return }
      let kept = keeping?.take(result) ?? result
      if kept.data == nil { _ = selecting?.take(kept) }
    }

    /// Drops everything but the shown result.
    mutating func keepOnlyShown() {
      if keeping != nil { keeping = _KeepPreviousDataStep() }
      selecting?.forget()
      unread = nil
    }
  }

  /// A result that is about to be shown.
  struct Arrival {
    fileprivate(set) var stored: QueryResult<Stored>
    fileprivate(set) var shown: QueryResult<Selected>
    /// The fields that were read and have changed.
    fileprivate(set) var changed: ResultFields
    /// The value of the machine's `revision` when this result arrived.
    fileprivate var revision: UInt32
  }

  /// A new result that is not shown yet, with the selection of its data.
  struct Made {
    fileprivate var shown: QueryResult<Selected>
    fileprivate var steps: Steps
    /// The value of the machine's `revision` before the selection was made.
    fileprivate var revision: UInt32
  }

  // The order of the properties leaves no gaps in memory, because there may be many observed queries.

  private var showing: Showing
  private var read = ResultFields()
  /// The number of results that were shown; an arrival is outdated if the number has grown since.
  private(set) var revision: UInt32 = 0
  /// The newest result of the query.
  private(set) var stored = QueryResult<Stored>.idle

  /// Whether no result has arrived yet.
  var isNew: Bool { revision == 0 }

  // These functions are small and inlined, because a call from generic code would look up the type of the
  // machine each time.

  /// Creates a machine that shows the stored result.
  @inline(__always)
  init(keepsPreviousData: Bool) where Stored == Selected {
    showing = keepsPreviousData ? .made(Steps(keeping: _KeepPreviousDataStep())) : .stored
  }

  /// Creates a machine that shows a selection of the stored result.
  init(_ selection: _SelectStep<Stored, Selected>, keepsPreviousData: Bool) {
    let keeping = keepsPreviousData ? _KeepPreviousDataStep<Stored>() : nil
    showing = .made(Steps(keeping: keeping, selecting: selection))
  }

  /// Returns a stored result as the shown one; called only if there is no selection.
  ///
  /// It is a function, because a closure would be one more object for each observed query.
  private static func asSelected(_ result: QueryResult<Stored>) -> QueryResult<Selected> {
    // The initialisers make sure that both types are the same here, so the cast is safe.
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

  /// Notes that a field is read.
  ///
  /// - Parameter field: The field.
  /// - Returns: Whether this is the first read since the field's last change.
  @inline(__always) @discardableResult
  mutating func wasRead(_ field: ResultField) -> Bool { read.insert(field) }

  /// Whether the shown result is the stored one.
  @inline(__always)
  var showsStored: Bool { if case .stored = showing { true } else { false } }

  /// Whether data of the former key is shown while another key has none.
  var keepsPreviousData: Bool {
    if case .made(let steps) = showing { steps.keeping != nil } else { false }
  }

  /// Notes the newest result of the present key, without showing it, before another key is observed.
  ///
  /// - Parameter result: The result; its data is shown while the next key has none.
  mutating func leaves(_ result: QueryResult<Stored>) {
    guard case .made(var steps) = showing else { return }
    _ = steps.keeping?.take(result)
    showing = .made(steps)
  }

  // MARK: Without readers

  /// Whether a result can be shown without telling a reader and without making a selection.
  @inline(__always)
  var showsAtOnce: Bool { showsStored && read.isEmpty }

  /// Shows a new result; called only if ``showsAtOnce`` is true.
  @inline(__always)
  mutating func show(_ result: QueryResult<Stored>) {
    revision &+= 1
    stored = result
  }

  /// Takes a result if no reader has to be told of it; a selection is made later, when the result is read.
  ///
  /// - Parameter result: The result.
  /// - Returns: Whether the result was taken; `false` if a field that the result may change was read.
  @inline(__always)
  mutating func arrivedUnread(_ result: QueryResult<Stored>) -> Bool {
    guard read.isEmpty else { return false }
    if !showsStored { keepUnread(result) } else if !result.isSame(as: stored) { show(result) }
    return true
  }

  private mutating func keepUnread(_ result: QueryResult<Stored>) {
    guard case .made(var steps) = showing else { return }
    steps.keepUnread(result)
    showing = .made(steps)
  }

  /// Whether a result is stored that is not shown yet, because no reader needed it.
  @inline(__always)
  var hasUnread: Bool { if case .made(let steps) = showing { steps.unread != nil } else { false } }

  /// Removes and returns the result that is stored and not shown yet.
  mutating func takeUnread() -> QueryResult<Stored>? {
    guard case .made(var steps) = showing, let result = steps.unread.take() else { return nil }
    showing = .made(steps)
    return result
  }

  // MARK: With readers

  /// Makes the selection of a new result.
  ///
  /// The machine does not change, because the selection is user code, which may read the shown result.
  ///
  /// - Parameter result: The result.
  /// - Returns: The result with its selection; `nil` if there is no selection to make.
  func made(of result: QueryResult<Stored>) -> Made? {
    guard case .made(var steps) = showing, !result.isSame(as: stored) else { return nil }
    return steps.take(result).map { Made(shown: $0, steps: steps, revision: revision) }
  }

  /// Takes a new result with its selection.
  ///
  /// - Parameters:
  ///   - result: The result.
  ///   - made: The value that ``made(of:)`` has returned for the result.
  /// - Returns: The change to show; `nil` if the result, or a newer one, is shown already.
  mutating func arrived(_ result: QueryResult<Stored>, _ made: Made) -> Arrival? {
    // The selection, which is user code, may have shown a newer result.
    guard made.revision == revision, !result.isSame(as: stored) else { return nil }
    var steps = made.steps
    // A newer result may have arrived during the selection. If it was only stored, it stays stored.
    if case .made(let present) = showing { steps.unread = present.unread }
    showing = .made(steps)
    return arrival(of: result, made.shown)
  }

  /// Takes a new result, and makes its selection; used where no reader can call back meanwhile.
  ///
  /// - Parameter result: The result.
  /// - Returns: The change to show; `nil` if the result is shown already.
  @inline(__always)
  mutating func arrived(_ result: QueryResult<Stored>) -> Arrival? {
    guard showsStored else { return made(of: result).flatMap { arrived(result, $0) } }
    return result.isSame(as: stored) ? nil : arrival(of: result, Self.asSelected(result))
  }

  /// Drops everything but the shown result.
  ///
  /// - Returns: The change after which no result is shown.
  mutating func forgotten() -> Arrival {
    if case .made(var steps) = showing {
      steps.keepOnlyShown()
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

  /// Shows a result, unless another one was shown after its arrival.
  @inline(__always)
  mutating func apply(_ arrival: Arrival) {
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
      // Failure reasons cannot be compared, so they count as changed if there is one, which is seldom.
      old.failureReason != nil || new.failureReason != nil
    case .cause: old.cause != new.cause
    case .hasNextPage, .hasPreviousPage, .isFetchingNextPage, .isFetchingPreviousPage,
      .isFetchNextPageError, .isFetchPreviousPageError:
      ResultFields(pageFactsOf: stored).contains(field)
        != ResultFields(pageFactsOf: newStored).contains(field)
    }
  }
}

extension ResultFields {
  /// Creates the set of the facts about a result's pages that are true; it is empty if the value has no pages.
  init<Value>(pageFactsOf result: QueryResult<Value>) {
    func facts<Known: PageSequenceValue>(as type: Known.Type) -> Self? {
      (result as? QueryResult<Known>).map(Self.init(truePageFactsOf:))
    }
    self = (Value.self as? any PageSequenceValue.Type).flatMap { facts(as: $0) } ?? Self()
  }

  private init<Value: PageSequenceValue>(truePageFactsOf result: QueryResult<Value>) {
    self.init()
    if result.hasNextPage { insert(.hasNextPage) }
    if result.hasPreviousPage { insert(.hasPreviousPage) }
    if result.isFetchingNextPage { insert(.isFetchingNextPage) }
    if result.isFetchingPreviousPage { insert(.isFetchingPreviousPage) }
    if result.isFetchNextPageError { insert(.isFetchNextPageError) }
    if result.isFetchPreviousPageError { insert(.isFetchPreviousPageError) }
  }
}
