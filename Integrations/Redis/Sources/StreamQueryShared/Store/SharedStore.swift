/// A store that many machines share: entries, leases to fetch them, and a log of changes.
///
/// Every call is one atomic step of the store, and the store alone gives versions, measures ages
/// and ends leases: the clocks of the machines play no part. A result was true at one moment
/// between call and return.
///
/// The rules that every store keeps:
///
/// - **Versions** rise with every change that the store logs, and are never given twice in one
///   ``SharedHistory``. A store that lost its log has another history.
/// - **An entry is valid** if none of its marks (key, prefixes, tags) was invalidated since its lease was
///   given, or since it was written. An entry has the marks of its lease or write. For a reader, the reader's
///   own marks count too: machines with different versions of a program may know different tags.
/// - **One leader.** At most one lease of a key is valid at a time. A lease ends when its holder
///   commits or abandons it, when its time is over, when one of its marks is invalidated, and when
///   its key is written. It also ends when another caller calls `begin` with a mark that was
///   invalidated since the lease was given. The token of a lease is higher than that of each earlier
///   lease of the key.
/// - **Fencing.** A commit with a lease that is not valid any more changes nothing.
/// - **The log** has a message for each commit, abandoned lease, invalidation and write, in the
///   order of versions. The log is bounded. A reader at a position that the log no longer has gets a gap.
public protocol SharedStore: Sendable {
  /// Reads the entry of a key, or takes the lease to fetch it.
  ///
  /// The result is the entry if it is valid and at most `maxAge` old. Otherwise the caller leads if
  /// no other caller does, and follows if one does.
  ///
  /// If the answer to a call is lost, no caller knows of a lease that the call took. A store on a network
  /// must give that lease to the next call for the key by the same store object.
  ///
  /// - Parameters:
  ///   - key: The key and its marks.
  ///   - maxAge: The maximum age of the entry; `nil` accepts none, so that the caller leads or
  ///     follows.
  ///   - lease: How long the lease lasts if the caller takes it.
  /// - Returns: The entry, or the caller that fetches it.
  /// - Throws: ``SharedStoreError`` if the store gave no answer; a change may have been made.
  func begin(
    _ key: SharedKey,
    maxAge: Duration?,
    lease: Duration
  ) async throws(SharedStoreError) -> SharedBeginning

  /// Extends a lease from now on.
  ///
  /// - Parameters:
  ///   - lease: The lease.
  ///   - duration: How long the lease lasts from now on.
  /// - Returns: Whether the lease was still valid. If not, nothing has changed.
  /// - Throws: ``SharedStoreError`` if the store gave no answer; a change may have been made.
  func renew(_ lease: SharedLease, for duration: Duration) async throws(SharedStoreError) -> Bool

  /// Makes a value the entry of the lease's key, and ends the lease.
  ///
  /// The entry has the marks with which the lease was taken; those of the argument `lease` do not count.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - lease: The lease.
  ///   - lifetime: How long the store keeps the entry.
  /// - Returns: The version of the entry; `nil` if the lease was not valid any more, so that
  ///   nothing has changed.
  /// - Throws: ``SharedStoreError`` if the store gave no answer; a change may have been made.
  func commit(
    _ value: SharedValue,
    with lease: SharedLease,
    lifetime: Duration
  ) async throws(SharedStoreError) -> SharedVersion?

  /// Ends a lease without a value, so that another caller can lead at once.
  ///
  /// - Parameters:
  ///   - lease: The lease.
  ///   - failure: The text for the callers that wait; `nil` if the holder only gave up.
  /// - Throws: ``SharedStoreError`` if the store gave no answer; a change may have been made.
  func abandon(_ lease: SharedLease, failure: String?) async throws(SharedStoreError)

  /// Makes a value the entry of a key, also if another machine has the lease.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key and its marks.
  ///   - lifetime: How long the store keeps the entry.
  /// - Returns: The version of the entry.
  /// - Throws: ``SharedStoreError`` if the store gave no answer; a change may have been made.
  func write(
    _ value: SharedValue,
    for key: SharedKey,
    lifetime: Duration
  ) async throws(SharedStoreError) -> SharedVersion

  /// Invalidates all entries with one of some marks (keys, prefixes, tags), and ends their leases.
  ///
  /// The cost of this call does not depend on the number of entries.
  ///
  /// - Parameter marks: The marks.
  /// - Returns: The version of the invalidation.
  /// - Throws: ``SharedStoreError`` if the store gave no answer; a change may have been made.
  func invalidate(_ marks: [SharedMark]) async throws(SharedStoreError) -> SharedVersion

  /// Reads the messages of the log after a position, and waits for messages if there are none.
  ///
  /// The call returns at once when its task is cancelled.
  ///
  /// - Parameters:
  ///   - position: The position of the last message that the caller knows. With `nil`, the call returns the
  ///     end of the log at once, without messages.
  ///   - wait: The longest wait.
  /// - Returns: The messages and the next position.
  /// - Throws: ``SharedStoreError`` if the store gave no answer.
  func changes(
    after position: SharedPosition?,
    timeout wait: Duration
  ) async throws(SharedStoreError) -> SharedChanges
}
