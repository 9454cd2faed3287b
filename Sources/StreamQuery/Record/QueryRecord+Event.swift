extension QueryRecord {
  /// Something that happened, and the state after it.
  public struct Event: Hashable, Sendable, _FreeOfActors, Identifiable {
    /// The number of the event among the client's recorded events; the next event has the next number.
    public var number: Int
    /// The time since time 0; not before the time of the previous event.
    public var time: Duration
    /// The kind of the event.
    public var kind: Kind

    /// The number of the event.
    public var id: Int { number }

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - number: The number of the event.
    ///   - time: The time since time 0.
    ///   - kind: The kind of the event.
    package init(number: Int, time: Duration, kind: Kind) {
      self.number = number
      self.time = time
      self.kind = kind
    }
  }

  /// The kind of an event; numbers stand for keys, runs and errors, which are rows of the record's tables.
  public enum Kind: Hashable, Sendable {
    /// Something happened to an entry; the state after it is `nil` if the entry is gone.
    case entry(EntryStep, key: Int, state: State?)
    /// A run of a mutation took a step.
    case run(RunStep, run: Int)
    /// The network was lost or came back.
    case network(isOnline: Bool)
    /// The app or process became inactive or active.
    case activity(isActive: Bool)
    /// A stream of triggers had an element: one of `connect(triggers:)`, with the type of the stream, or one of
    /// `refetch(on:)`, with the key of the query.
    case trigger(String)
    /// Data could not be written to a store or restored; `key` is `nil` if the whole store is concerned.
    ///
    /// The store has the name of its type. A file store also has that of its directory: `FileStore cache`.
    case persistenceFailed(key: Int?, store: String, error: Int)
    /// A call concerned all entries that a filter selects; `matches` is their number.
    ///
    /// A call for one key has no such event if the event of its entry says the same. A refetch always has
    /// one, because the cause of a fetch does not say which call asked for it.
    case bulk(BulkCall, filter: String, matches: Int)
    /// Events were lost here.
    case lost(count: Int)
  }

  /// A step in the life of an entry.
  public enum EntryStep: Hashable, Sendable {
    /// The state changed in a way that no other step reports, such as the number of waiting callers.
    case changed
    /// The entry was created.
    case added
    /// The entry was dropped, or stays for its observers without data.
    case removed(QueryEvent.RemovalReason, isKeptEmpty: Bool)
    /// An observer came.
    case observed
    /// An observer left.
    case unobserved
    /// A fetch began, even if its first attempt waits for the network; `fetch` counts the entry's fetches.
    case fetchStarted(fetch: Int)
    /// An attempt failed and will be retried after a wait; `count` attempts have failed.
    case attemptFailed(fetch: Int, count: Int, retryAfter: Duration, error: Int)
    /// The fetch waits for the network or the app.
    case fetchPaused(fetch: Int)
    /// The fetch continues.
    case fetchResumed(fetch: Int)
    /// The fetch brought a value, or found that the data is still good.
    case fetchSucceeded(fetch: Int, isNotModified: Bool)
    /// The fetch failed for good.
    case fetchFailed(fetch: Int, error: Int)
    /// The fetch was cancelled, replaced by another one, or discarded by a write.
    case fetchCancelled(fetch: Int)
    /// A value was written.
    case written
    /// The entry was invalidated.
    case invalidated
    /// The entry was reset.
    case reset
    /// A number of callers that waited for a fetch got stale data.
    case servedStale(count: Int)
    /// A run laid an optimistic layer over the data.
    case layered(run: Int)
    /// The layers of a run were removed; `run` is 0 if the run ended too long ago for the record.
    case unlayered(run: Int)
    /// Another query, or other options, took the entry over.
    case adopted
  }

  /// A step of a run of a mutation.
  public enum RunStep: Hashable, Sendable {
    /// The run was requested.
    case started
    /// The run waits for its scope, the network or the app.
    case paused
    /// The network and the app allow the run to continue.
    case resumed
    /// An attempt began, after `attempt` failed ones.
    case performing(attempt: Int)
    /// An attempt failed and will be retried after a wait; `count` attempts have failed.
    case attemptFailed(count: Int, retryAfter: Duration, error: Int)
    /// A durable run failed, and waits for a decision about its error.
    case stopped(error: Int)
    /// A callback threw; the run continued as if it had not.
    case callbackFailed(error: Int, callback: String)
    /// The run ended with an output.
    case succeeded
    /// The run ended with an error.
    case failed(error: Int)
    /// The run was cancelled, or the client was cleared.
    case cancelled
  }

  /// A call that concerns all entries that a filter selects.
  public enum BulkCall: Int, Hashable, Sendable, CaseIterable {
    /// `invalidate`.
    case invalidate
    /// `refetch`.
    case refetch
    /// `reset`.
    case reset
    /// `remove`.
    case remove
    /// `clear`.
    case clear
  }
}
