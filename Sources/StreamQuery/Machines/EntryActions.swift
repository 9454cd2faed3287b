/// The actions that an entry's machine requests after an input, as data; the cache and the client
/// perform them in order.
package struct EntryActions: Equatable, Sendable {
  /// The cancellation of a fetch, which is no longer the current one.
  package enum Cancellation: Equatable, Sendable {
    /// Cancel the task of this fetch.
    case gone(FetchID)
    /// Cancel the task of this fetch, and restart it for the same callers and with the same request.
    case restarted(FetchID)
  }

  /// The next step of an entry.
  package enum Step: Equatable, Sendable {
    /// Run an attempt of this fetch, which is now the current one.
    ///
    /// If `hidesData` is set, hide the data before the attempt; a cancellation of the fetch restores the
    /// data.
    case attempt(FetchID, hidesData: Bool)
    /// Report that the fetch is paused, and answer all that do not wait until the pause ends: the watchers of
    /// an attempt and, while the app is inactive, runs of mutations.
    ///
    /// The callers of bulk calls, such as `invalidate`, go on waiting. They ignore only a fetch that was
    /// paused already when they began to wait.
    case pause
    /// Drop the entry, unless somebody still uses it: its retention is over.
    case drop
  }

  /// The fetch to cancel.
  package var cancelled: Cancellation?
  /// Tell waiters and watchers that the current fetch ended.
  package var ended: FetchEnding?
  /// Restore the data that the fetch hid, before `ended` is reported.
  package var unstashed = false
  /// An observer's snapshot may differ: derive a new snapshot and wake the observers that see a
  /// change.
  package var changed = false
  /// The next step; `nil` if there is none.
  package var step: Step?

  /// Whether a fetch starts, pauses or ends with these actions.
  package var concernsFetch: Bool {
    cancelled != nil || ended != nil || step != nil && step != .drop
  }

  /// Creates actions that ask for nothing.
  package init() {}

  /// Nothing to do.
  package static let none = EntryActions()
}

/// The end of a fetch, for the callers that wait for it.
package enum FetchEnding: Hashable, Sendable {
  /// The fetch brought a new value.
  case succeeded
  /// The fetch found that the data is still good.
  case kept
  /// The endless stream of the fetch delivered an element, which is the answer. The stream goes on while
  /// somebody wants it.
  case delivered
  /// The last attempt of the fetch failed.
  case failed
  /// The fetch was cancelled, and the previous state is restored.
  case cancelled
  /// The fetch found nothing to do, and the previous state is restored.
  case nothing
  /// A write that discards fetches in flight has replaced the fetch.
  case replaced
  /// The entry of the fetch was removed, reset or cleared.
  case removed
}
