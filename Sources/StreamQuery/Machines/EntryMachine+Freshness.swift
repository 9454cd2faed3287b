extension EntryMachine {
  /// A mark on data that is out of date, or may be: marked data is stale at any age.
  enum Mark: Equatable, Sendable {
    /// The data has no mark. If it became stale by age until `toldUntil`, observers have been notified of
    /// that.
    case none(toldUntil: Instant)
    /// A refetch failed, and it is not known whether the data has changed.
    ///
    /// If the refetch had hidden data, which is lost now, `hiding` is the date of that data. Data from an
    /// archive or a store counts as outdated unless its date is later.
    case failed(hiding: Instant?)
    /// The data was invalidated, last at this time; `distantPast` if the time is not known.
    ///
    /// An answer that says how old it is clears the mark only if it is newer than this time.
    case invalidated(at: Instant)
    /// The data was invalidated, but only by calls that accept a running fetch as new enough.
    ///
    /// Such calls are for a cache that is shared with other machines. It has the newer data already, so a
    /// running fetch may find that data.
    case doubted(at: Instant)
  }

  /// Whether the data is stale at any age.
  @inline(__always)
  package var isInvalidated: Bool { if case .none = mark { false } else { true } }

  /// Whether the data was invalidated; a failed refetch is no invalidation.
  @inline(__always)
  package var isKnownToHaveChanged: Bool { invalidatedAt != nil }

  /// Whether there is data for a fetch to start from, perhaps hidden, and it is known to have changed on the
  /// server.
  @inline(__always)
  func isBaseMarked(of current: InFlight) -> Bool {
    isKnownToHaveChanged && (hasData || current.undo.stashed != nil)
  }

  /// The time of the last invalidation, if the data is still marked by it.
  @inline(__always)
  var invalidatedAt: Instant? {
    switch mark {
    case .invalidated(let time), .doubted(let time): time
    case .none, .failed: nil
    }
  }

  /// The time of the last invalidation that also outdates fetches running at that time (`.invalidated`, not
  /// `.doubted`); `nil` if there is none or its time is unknown.
  var supersededAt: Instant? {
    if case .invalidated(let time) = mark, time > .distantPast { time } else { nil }
  }

  /// Whether data from elsewhere, such as an archive, is from before the last invalidation.
  ///
  /// If the time of the invalidation is not known, the data counts as older.
  ///
  /// - Parameter updatedAt: When the data was up to date.
  /// - Returns: Whether the data is outdated.
  package func isOutdated(from updatedAt: Timestamp) -> Bool {
    if case .failed(let hidden?) = mark { return updatedAt.instant <= hidden }
    guard let invalidatedAt else { return false }
    return invalidatedAt == .distantPast || updatedAt.instant <= invalidatedAt
  }

  /// Sets or clears the mark, because the answer of a fetch becomes the data.
  ///
  /// Only the answer of an attempt that began after the last invalidation clears the mark of that
  /// invalidation. A part that is added to older data does not; it clears only the mark of a failed refetch.
  ///
  /// - Parameters:
  ///   - current: The fetch.
  ///   - isAdded: Whether the answer is a part that is added to data.
  ///   - age: The age of the answer; `nil` if the answer is new.
  ///   - now: The time of the transaction.
  mutating func landed(_ current: InFlight, isAdded: Bool, _ age: AnswerAge?, at now: Instant) {
    let saysSo = age.map { age in
      if let isOutdated = age.isOutdated { return isOutdated }
      let began = age.updatedAt.instant
      guard let invalidatedAt else { return false }
      // If the answer began at the instant of the invalidation, it counts as newer only if that instant is
      // now.
      return began < invalidatedAt || began == invalidatedAt && began < now
    }
    // A new page is as outdated as the pages from which its request was made, even if a write has cleared the
    // mark on those pages meanwhile.
    let extendsOlder = isAdded && (isKnownToHaveChanged || current.baseWasMarked)
    guard !current.predatesMark, saysSo != true, !extendsOlder else {
      if current.predatesMark || isAdded && current.baseWasMarked {
        // A write may have cleared the mark, but this answer replaces the written data, so the mark returns.
        // The mark's former time is lost; `now` is a later time, so no invalidation is missed.
        if supersededAt == nil { mark = .invalidated(at: now) }
      } else if let last = supersededAt, !isAdded, let age, age.updatedAt.instant > last {
        // The answer is newer than the invalidation, but reports itself as outdated: something else has
        // changed.
        mark = .doubted(at: last)
      } else if !isKnownToHaveChanged {
        mark = .invalidated(at: .distantPast)
      }
      return
    }
    mark = .none(toldUntil: now)
  }

  /// Whether data is stale: missing, a part that no fetch completes, invalidated, or as old as the stale
  /// time.
  ///
  /// - Parameters:
  ///   - freshness: The stale time.
  ///   - now: The time of the transaction.
  /// - Returns: Whether it is stale.
  // This and the functions below are inlined, because the machine is a large value, and a call
  // would copy it.
  @inline(__always)
  package func isStale(_ freshness: Freshness, at now: Instant) -> Bool {
    guard extent == .whole || extent == .part && !isIdle else { return true }
    return freshness.isStale(
      updatedAt: dataUpdatedAt.instant,
      isInvalidated: isInvalidated,
      at: now
    )
  }

  /// Whether data is stale for an observer; never for a disabled one.
  ///
  /// - Parameters:
  ///   - resolvedOptions: The options of the observer.
  ///   - now: The time of the transaction.
  /// - Returns: Whether it is stale.
  @inline(__always)
  package func isStale(for resolvedOptions: ResolvedObserverOptions, at now: Instant) -> Bool {
    resolvedOptions.isEnabled && isStale(resolvedOptions.freshness, at: now)
  }

  /// The flags that an observer sees in addition to the snapshot.
  ///
  /// - Parameters:
  ///   - resolvedOptions: The options of the observer.
  ///   - base: How often data and failures had arrived in the entry when the observer came; `nil` for a read
  ///     without a subscription.
  ///   - now: The time of the transaction.
  /// - Returns: Its flags, except the one for a placeholder.
  @inline(__always)
  package func flags(
    for resolvedOptions: ResolvedObserverOptions,
    since base: SettledCounts?,
    at now: Instant
  ) -> QueryFlags {
    var flags = QueryFlags()
    switch resolvedOptions.participation {
    case .enabled: flags.insert(.enabled)
    case .restoring: flags.insert(.restoring)
    case .disabled: break
    }
    if isStale(for: resolvedOptions, at: now) { flags.insert(.stale) }
    if let base, counts.exceed(base) { flags.insert(.fetchedSinceSubscribing) }
    return flags
  }

  /// Whether filters count the entry as stale: the data is stale for at least one observer.
  ///
  /// Only observers have stale times. Without an observer, the entry is stale if it has no data, has an
  /// incomplete part, or is invalidated.
  ///
  /// - Parameter now: The time of the transaction.
  /// - Returns: Whether it is stale.
  package func isStale(at now: Instant) -> Bool {
    guard observerCount > 0 else { return !hasData || isIncomplete || isInvalidated }
    return groups.contains { isStale(for: $0.resolvedOptions, at: now) }
  }

  /// Whether data of a date would be stale for the observers and waiting callers of the entry.
  ///
  /// - Parameters:
  ///   - updatedAt: When the data was up to date.
  ///   - freshness: The stale time of waiting callers.
  ///   - limit: The stale time that replaces zero: with zero, no data would ever be fresh enough.
  ///   - now: The time of the transaction.
  /// - Returns: Whether one of them would fetch in spite of the data.
  package func wouldBeStale(
    updatedAt: Timestamp,
    _ freshness: Freshness,
    limit: TimeSpan,
    at now: Instant
  ) -> Bool {
    var wanted = groups.filter(\.resolvedOptions.isEnabled).map(\.resolvedOptions.freshness)
    if waiterCount > 0 || wanted.isEmpty { wanted.append(freshness) }
    return wanted.contains { freshness in
      switch freshness {
      case .static: false
      case .after(let span):
        (updatedAt.instant + (span == .zero ? limit : span)).map { now >= $0 } ?? false
      }
    }
  }

  /// Whether some observer treats the data as static.
  package var isStatic: Bool {
    groups.contains { $0.resolvedOptions.freshness == .static }
  }

  /// Whether bulk refetches leave the entry out: all observers are disabled, or there never was a
  /// result.
  package var isDisabled: Bool {
    observerCount > 0 ? !isActive : dataUpdateCount + errorUpdateCount == 0
  }

  /// The time at which the data becomes stale for observers with these options; `nil` if it is stale or never
  /// will be.
  @inline(__always)
  func staleFlip(of resolvedOptions: ResolvedObserverOptions) -> Instant? {
    guard resolvedOptions.isEnabled, hasData, !isIncomplete, case .none(let toldUntil) = mark,
      case .after(let span) = resolvedOptions.freshness,
      let flip = dataUpdatedAt.instant + span, flip > toldUntil
    else { return nil }
    return flip
  }

  /// Catches up with time, as the first step of every input.
  ///
  /// Data that became stale since the last input is reported with this input, because an input may arrive
  /// before the timer of the same time.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: The actions to which the input adds its own.
  mutating func catchUp(in environment: Environment) -> EntryActions {
    var actions = EntryActions()
    let now = environment.now.instant
    guard case .none(let toldUntil) = mark, now > toldUntil else { return actions }
    if groups.contains(where: { staleFlip(of: $0.resolvedOptions).map { $0 <= now } ?? false }) {
      actions.changed = true
    }
    mark = .none(toldUntil: now)
    return actions
  }
}
