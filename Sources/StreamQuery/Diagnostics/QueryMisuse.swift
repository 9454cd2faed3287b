/// A mistake in the use of the library that has a defined outcome and cannot be thrown.
///
/// The client reports it to ``QueryClient/Configuration/onMisuse``, which by default prints it.
public enum QueryMisuse: Hashable, Sendable, CustomStringConvertible {
  /// A completion-style fetch called its completion more than once; the first call counted.
  case completionCalledTwice(key: String)
  /// An updater wrote the key that it updates; the inner write was ignored.
  case writeInsideUpdate(key: String)
  /// Too many updates waited for the answer of a store: this one, the oldest, was given up.
  case updateBeforeRestored(key: String)
  /// An update of a key was ignored, because a query stores a value of that key without a limit of age.
  ///
  /// An update by key knows only the client's persistence, which has such a limit, so the client cannot load
  /// the stored value for the update. Pass the query instead of its key.
  case updateOfKeptData(key: String)
  /// A fetch asked for its previous data as a type other than the query's; it got none.
  case previousOfOtherType(key: String, expected: String, asked: String)
  /// A callback of a mutation threw; the run continued as if it had not.
  case callbackFailed(key: String, callback: String, error: String)
  /// A run replaced an earlier run that was about another item: the earlier run was not sent.
  ///
  /// The client notices that if the inputs have different identifiers, or if the earlier run showed a change
  /// of data that the newer one does not change.
  case otherItemDiscarded(key: String)
  /// A closure that an option depends on returned a different answer each time; the last one
  /// stands.
  case unsettledOption(key: String)
  /// A fetch waited for a stream of its own key, so the stream ended.
  ///
  /// The stream would show nothing new before the fetch ends, and the fetch would wait for it for ever.
  case streamInsideFetch(key: String)
  /// A stream has delivered for five minutes, and calls still wait for its end.
  ///
  /// Reported once for each stream. If the stream has no end, the calls wait for ever, and so does a mutation
  /// that awaits them.
  case endlessStreamAwaited(key: String)

  // The next two are noticed in `QueryClient+LookAlikes.swift`.

  /// A key was read as one value type and is cached as another: these are two entries.
  ///
  /// Reported once, in debug builds.
  case otherValueType(key: String, cached: String, asked: String)
  /// A missing key was read; a cached key differs from it only in the types of its numbers.
  ///
  /// Reported once, in debug builds.
  case similarKey(cached: String, asked: String)
  /// Two tasks waited for the next element of the same stream, so that each gets only some of them.
  ///
  /// Reported once, in debug builds.
  case sharedStream(key: String)
  /// Many keys, including this one, have the same hash: looking one up compares it with the others.
  case equalHashes(key: String, count: Int)
  /// The clock threw instead of waiting, several times in a row.
  ///
  /// Every wait stands still until the client is used again.
  case clockFailed(error: String)

  /// Queries of an account are kept in a store that `QueryAccounts` does not list.
  ///
  /// This process erases the store with the account, but the next launch would not find the store.
  case unlistedStore(account: String)
  /// A set-up of the client will cause trouble: see ``QueryClient/advice()``.
  ///
  /// Reported once for each rule, in debug builds.
  case advice(QueryAdvice)

  /// A sentence that says how the mistake came about and how to avoid it.
  @_documentation(visibility: internal)
  public var description: String {
    switch self {
    case .completionCalledTwice(let key):
      "The fetch of \(key) called its completion twice; the first call counted. Call it once."
    case .writeInsideUpdate(let key):
      """
      An update of \(key) wrote the same key inside its closure; that write was ignored. \
      Change the closure's argument instead.
      """
    case .updateBeforeRestored(let key):
      """
      Over 10,000 updates waited until their data is restored; one of \(key) was given up, \
      lest it take the place of what the store has. Await restore() or fetch(_:) first, or write with setData.
      """
    case .updateOfKeptData(let key):
      """
      An update of the key \(key) was not made, lest it take the place of what a query keeps without a limit \
      of age. Update the query instead of its key, or write with setData.
      """
    case .previousOfOtherType(let key, let expected, let asked):
      """
      The fetch of \(key) asked for its previous data as \(asked), which is \(expected); it was given \
      none. Ask for the type of the query's value.
      """
    case .callbackFailed(let key, let callback, let error):
      """
      \(callback) of the mutation \(key) threw \(error); the run's own outcome stands. \
      Handle the error in the callback.
      """
    case .otherItemDiscarded(let key):
      """
      A run of the mutation \(key) took the place of an earlier one about another item, which is not \
      sent. With .pacing(.newest) say what a run is a version of: .pacing(.newest, of: \\.id).
      """
    case .unsettledOption(let key):
      """
      A dynamic option of \(key) answered differently each time it was asked about one state. \
      Make the closure depend on its argument alone.
      """
    case .streamInsideFetch(let key):
      """
      The fetch of \(key) waited for a stream of its own key, which shows nothing new of the fetch before \
      it ends; the stream ended. Read context.previous() instead.
      """
    case .endlessStreamAwaited(let key):
      """
      The stream of \(key) has delivered for five minutes, and calls still wait for its end. If it has \
      none, say so: .streamed(…, endless: true). Then they return at its first element.
      """
    case .otherValueType(let key, let cached, let asked):
      """
      \(key) was read as \(asked) and is missing, but it is cached as \(cached). The value type is a part \
      of the key: use one type for one key.
      """
    case .similarKey(let cached, let asked):
      """
      \(asked) was read and is missing, but \(cached) is cached: parts of different types differ. Use \
      one type for one part.
      """
    case .sharedStream(let key):
      """
      Two tasks iterate one stream of \(key), so that each gets only some of its elements. Make a stream \
      for each.
      """
    case .equalHashes(let key, let count):
      """
      \(count) keys, \(key) among them, have one hash: a look for any of them compares it with the \
      others, or with a few where parts are Comparable, while the cache is locked. Let hash(into:) of the key's own part types take in all that \
      == compares.
      """
    case .clockFailed(let error):
      """
      The client's clock threw \(error) from sleep(until:tolerance:) \(WakePlan.attempts) times in a \
      row; what waits for time stands still until the client is used again. Let the clock throw only \
      when the task is cancelled.
      """
    case .unlistedStore(let account):
      """
      The account "\(account)" keeps queries in a store that its QueryAccounts does not know, and that the \
      next launch will not erase if it ends. Name all stores when you create the QueryAccounts.
      """
    case .advice(let advice): advice.description
    }
  }
}
