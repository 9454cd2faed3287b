/// The actions that an entry's machine requests after an input, as data; the cache and the client
/// perform them in order.
package struct EntryActions: Equatable, Sendable {
  /// Cancel the task of this fetch: it is no longer the current fetch.
  package var cancelled: FetchID?
  /// Whether a cancelled fetch is restarted, for the same callers and with the same request.
  package var isRestarted = false
  /// Tell waiters and watchers that the current fetch ended.
  package var ended: FetchEnding?
  /// Run an attempt of this fetch: it is now the current fetch.
  package var started: FetchID?
  /// Report that the fetch is paused, and answer those who do not wait for a pause: the watchers of an attempt
  /// and, while the app is inactive, runs of mutations.
  ///
  /// The callers of bulk calls wait on: for them, a fetch is settled if it is paused when they begin to wait.
  package var paused = false
  /// Restore the data that the fetch hid, before `ended` is reported.
  package var unstashed = false
  /// Hide the data before the fetch starts; a cancellation of the fetch restores the data.
  package var stashed = false
  /// An observer's snapshot may differ: derive a new snapshot and wake the observers that see a
  /// change.
  package var changed = false
  /// Retention is over: the entry may be dropped.
  package var expired = false

  /// Whether a fetch starts, pauses or ends with these actions.
  package var concernsFetch: Bool {
    cancelled != nil || ended != nil || started != nil || paused
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
