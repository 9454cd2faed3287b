/// What the shell has to do after an input: data, in the order in which it is done.
package struct EntryEffects: Equatable, Sendable {
  /// Cancel the task of this fetch, which is no longer the current one.
  package var cancelled: FetchID?
  /// Whether a fetch that was cancelled is begun anew, for those who asked for it and as they asked.
  package var isBegunAnew = false
  /// Tell waiters and watchers that the current fetch ended.
  package var ended: FetchEnding?
  /// Run an attempt of this fetch, which is now the current one.
  package var started: FetchID?
  /// Tell bulk watchers that the fetch rests: they treat it as settled.
  package var paused = false
  /// Bring the data back that the fetch took out of sight; before `ended` is told.
  package var unshelved = false
  /// Take the data out of sight, to bring it back if the fetch is cancelled; before it starts.
  package var shelved = false
  /// Some observer's snapshot may differ: derive a new frame and wake whom it concerns.
  package var changed = false
  /// Retention is over: the entry may be dropped.
  package var expired = false

  /// Whether a fetch starts, rests or ends by it.
  package var concernsFetch: Bool {
    cancelled != nil || ended != nil || started != nil || paused
  }

  /// Creates effects that ask for nothing.
  package init() {}

  /// Nothing to do.
  package static let none = EntryEffects()
}
