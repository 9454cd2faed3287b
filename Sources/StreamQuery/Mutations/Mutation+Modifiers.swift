/// Options and callbacks as modifiers: each returns a changed copy. The last value of an option
/// wins; callbacks and optimistic changes accumulate and run in the order in which they were given.
extension Mutation {
  /// The same mutation with some options changed.
  ///
  /// - Parameter change: Changes the options.
  /// - Returns: The changed mutation.
  public func options(_ change: (inout MutationOptions) -> Void) -> Self {
    var options = definition.options
    change(&options)
    return Mutation(key: key, definition: definition.with(options: options))
  }

  /// Sets how failed attempts are retried; by default they are not.
  ///
  /// Retries wait while the app is inactive, unless a caller awaits the run or the mutation is
  /// durable.
  ///
  /// - Parameter policy: How often and when to retry.
  /// - Returns: The changed mutation.
  public func retry(_ policy: RetryPolicy) -> Self {
    options { $0.retry = policy.over($0.retry) }
  }

  /// Sets how often a failed attempt is retried.
  ///
  /// - Parameter count: The number of retries after the first attempt.
  /// - Returns: The changed mutation.
  public func retry(_ count: Int) -> Self {
    retry(.times(count))
  }

  /// Sets how long one attempt may take; for ever by default.
  ///
  /// After that time the attempt's task is cancelled, and the attempt fails with
  /// ``QueryError/mutationTimedOut(key:limit:)``. ``retry(_:)-(RetryPolicy)`` decides whether
  /// another attempt follows, and so does `onConflict(_:)` if the mutation is durable. If the run
  /// ends, its scope is free. The server may have made the change nevertheless: all attempts carry
  /// the same ``MutationContext/idempotencyKey``. Work that does not heed the cancellation goes on
  /// beside later attempts and runs; a value that it still returns is ignored.
  ///
  /// The limit does not include callbacks and waits for the scope, the network, the store or the next
  /// attempt.
  ///
  /// ```swift
  /// let rename = Mutation<Rename, User>.rename().timeout(.seconds(30)).retry(2)
  /// ```
  ///
  /// - Parameter limit: How long, by the client's clock; zero or less fails each attempt that does not
  ///   answer at once, more than 100 years is for ever.
  /// - Returns: The changed mutation.
  public func timeout(_ limit: Duration) -> Self {
    options { $0.timeout = limit }
  }

  /// Sets the scope: runs of one scope perform one after the other, whichever mutation they run.
  ///
  /// Runs perform in the order in which they were started, and are shown as paused while they wait.
  ///
  /// - Parameter name: The name of the scope.
  /// - Returns: The changed mutation.
  public func scope(_ name: String) -> Self {
    options { $0.scope = name }
  }

  /// Sets the scope of each run by its input: runs about different items need not wait for each other.
  ///
  /// ```swift
  /// let rename = Mutation<Rename, User>.rename().scope { input in "user-\(input.id)" }
  /// ```
  ///
  /// The closure is called once for each run, when the run is started; a run keeps its scope when its
  /// input is changed later. If a mutation has this and ``scope(_:)-(String)``, the last one counts.
  ///
  /// - Parameter scope: Gets the input and returns the name of the scope; `nil` is none, even if
  ///   the defaults of the key name one.
  /// - Returns: The changed mutation.
  public func scope(_ scope: @escaping @Sendable (Input) -> String?) -> Self {
    var (options, grouping) = (definition.options, definition.grouping)
    options.scope = nil
    grouping.scope = { scope($0.value(as: Input.self)) }
    return Mutation(key: key, definition: definition.with(options: options, grouping: grouping))
  }

  /// Sets the behaviour while offline; by default the run is paused and resumed in order.
  ///
  /// - Parameter mode: The behaviour while offline.
  /// - Returns: The changed mutation.
  public func networkMode(_ mode: NetworkMode) -> Self {
    options { $0.networkMode = mode }
  }

  /// Sets how long a run that nobody follows is kept after its end; five minutes by default.
  ///
  /// A duration above 100 years means for ever. A cancelled run is not kept.
  ///
  /// - Parameter duration: How long to keep it.
  /// - Returns: The changed mutation.
  public func gcTime(_ duration: Duration) -> Self {
    options { $0.gcTime = duration }
  }

  /// Adds a fact for callbacks, filters and events.
  ///
  /// - Parameters:
  ///   - key: Names the fact.
  ///   - value: The fact.
  /// - Returns: The changed mutation.
  public func meta<Key: QueryMetaKey>(_ key: Key.Type, _ value: Key.Value) -> Self {
    options {
      var meta = $0.meta ?? QueryMeta()
      meta[key] = value
      $0.meta = meta
    }
  }

  // MARK: Optimistic changes

  /// Shows the changes of the mutation before they are made.
  ///
  /// The changes are layers over cached data, not writes. Each lies over the data and the layers below, in
  /// the order in which runs were started, so fetches and writes may change the data meanwhile and other runs
  /// may come and go. A run that fails or is cancelled removes only its own layers. After a success the
  /// layers stay until their replacement arrives: until a callback of the run has written the key, or the
  /// first fetch of the key that began after the success has settled. If neither has begun when `onSettled`
  /// has returned, the layers go then. The answer of a fetch that began before the success is dropped, and
  /// the fetch restarts.
  ///
  /// Streams, results and reads show the changes; `updateData` and the parameters of pages do not
  /// see them. Removing or clearing an entry removes its layers; a reset keeps them.
  ///
  /// ```swift
  /// let rename = Mutation<Rename, User>.rename().optimistic { input, changes in
  ///   changes.update(.user(input.id)) { $0?.name = input.name }
  /// }
  /// ```
  ///
  /// - Parameter changes: Called once with the input; says which keys are changed and how.
  /// - Returns: The changed mutation.
  public func optimistic(
    _ changes: @escaping @Sendable (Input, inout OptimisticChanges) -> Void
  ) -> Self {
    Mutation(
      key: key,
      definition: definition.with(layers: [
        { input, layers in changes(input.value(as: Input.self), &layers) }
      ])
    )
  }

  /// Shows the change of the mutation to one query before it is made.
  ///
  /// - Parameters:
  ///   - query: The query whose data is changed.
  ///   - update: Gets the data without this change, and changes it; must be pure.
  /// - Returns: The changed mutation.
  public func optimistic<Value: Sendable>(
    _ query: @escaping @Sendable (Input) -> Query<Value>,
    update: @escaping @Sendable (inout Value?, Input) -> Void
  ) -> Self {
    optimistic { input, changes in
      changes.update(query(input)) { value in update(&value, input) }
    }
  }

  // MARK: Callbacks

  // A callback that is written on an actor runs on it, so a model's callback may set the model's
  // state.

  /// Adds a callback that runs before the first attempt, and before the run waits for its scope or the
  /// network.
  ///
  /// The callback's return value is kept for later callbacks: `context.saved(as:)`. If the callback throws,
  /// nothing is performed and the run fails with that error. A run that is cancelled before it begins does
  /// not call it.
  ///
  /// - Parameter body: Gets the input.
  /// - Returns: The changed mutation.
  public func onMutate<Saved: Sendable>(
    @_inheritActorContext _ body:
      @escaping @Sendable (Input, MutationCallbackContext<Input>) async throws -> Saved
  ) -> Self {
    adding { callbacks in
      callbacks.onMutate = [
        { facts in
          let context = MutationCallbackContext<Input>(facts: facts)
          return try await body(context.input, context)
        }
      ]
    }
  }

  /// Adds a callback that runs when the work has returned, before the caller gets the output.
  ///
  /// An error that the callback throws is reported and changes nothing: the server has made the change.
  ///
  /// - Parameter body: Gets the output.
  /// - Returns: The changed mutation.
  public func onSuccess(
    @_inheritActorContext _ body:
      @escaping @Sendable (Output, MutationCallbackContext<Input>) async throws -> Void
  ) -> Self {
    adding { callbacks in
      callbacks.onSuccess = [
        { outcome, facts in
          guard case .success(let box) = outcome else { return }
          try await body(box.value(as: Output.self), MutationCallbackContext(facts: facts))
        }
      ]
    }
  }

  /// Adds a callback for a run that failed or was cancelled (with `CancellationError`).
  ///
  /// The callback runs before the caller gets the error, but a cancelled caller does not wait for the
  /// callback. If the client was cleared or shut down, the callback does not run. An error that it throws
  /// is reported; the run's own error stays.
  ///
  /// - Parameter body: Gets the error.
  /// - Returns: The changed mutation.
  public func onError(
    @_inheritActorContext _ body:
      @escaping @Sendable (any Error, MutationCallbackContext<Input>) async throws -> Void
  ) -> Self {
    adding { callbacks in
      callbacks.onError = [
        { outcome, facts in
          guard case .failure(let error) = outcome else { return }
          try await body(error, MutationCallbackContext(facts: facts))
        }
      ]
    }
  }

  /// Adds a callback that is called after `onSuccess` or `onError`.
  ///
  /// - Parameter body: Gets the output or the error.
  /// - Returns: The changed mutation.
  public func onSettled(
    @_inheritActorContext _ body:
      @escaping @Sendable (Result<Output, any Error>, MutationCallbackContext<Input>) async throws
      -> Void
  ) -> Self {
    adding { callbacks in
      callbacks.onSettled = [
        { outcome, facts in
          let result = outcome.map { $0.value(as: Output.self) }
          try await body(result, MutationCallbackContext(facts: facts))
        }
      ]
    }
  }

  /// Sends runs only after a time in which they can be taken back.
  ///
  /// Optimistic changes show at once. To undo a run, cancel it, or drop it from the outbox: nothing was sent.
  /// `Outbox.retry(_:)` sends the run at once. A durable run is stored at once, and the time also passes
  /// while the process does not run.
  ///
  /// - Parameter delay: The time; later runs of the same scope wait for it as well.
  /// - Returns: The changed mutation.
  public func delayed(by delay: Duration) -> Self {
    options { $0.delay = delay }
  }

  /// Sets which of several waiting runs are sent, if all runs are about the same item.
  ///
  /// With ``MutationPacing/newest`` a run replaces every earlier one in its scope. If runs are about several
  /// items, use ``pacing(_:of:)``. Otherwise the edit of one item replaces the edit of another; the client
  /// reports ``QueryMisuse/otherItemDiscarded(key:)`` if it notices.
  ///
  /// - Parameter pacing: The pacing.
  /// - Returns: The changed mutation.
  public func pacing(_ pacing: MutationPacing) -> Self {
    self.pacing(pacing, grouping: nil)
  }

  /// Sets which of several waiting runs about the same item are sent.
  ///
  /// ```swift
  /// let rename = Mutation<Rename, User>.rename()
  ///   .pacing(.newest, of: \.id)
  ///   .durable()
  /// ```
  ///
  /// With ``MutationPacing/newest`` a run replaces earlier ones with an equal key, and no others.
  /// If the mutation has no scope of its own, each key has a scope, so that runs with different
  /// keys do not wait for each other.
  ///
  /// The closure is called once for each run, when the run is started; a run keeps its key when its
  /// input is changed later.
  ///
  /// - Parameters:
  ///   - pacing: The pacing.
  ///   - key: Gets the input and returns a key of the item. Keys are equal if their JSON is equal. A run is
  ///     sent like any other run if it has no key, or one that cannot be encoded.
  /// - Returns: The changed mutation.
  public func pacing<Key: Encodable & SendableMetatype>(
    _ pacing: MutationPacing,
    of key: @escaping @Sendable (Input) -> Key?
  ) -> Self {
    self.pacing(
      pacing,
      grouping: { key($0.value(as: Input.self)).flatMap(ValueJSON.text) }
    )
  }

  private func pacing(
    _ pacing: MutationPacing,
    grouping key: (@Sendable (ValueBox) -> String?)?
  ) -> Self {
    var (options, grouping) = (definition.options, definition.grouping)
    options.pacing = pacing
    grouping.pacingKey = key
    return Mutation(
      key: self.key,
      definition: definition.with(options: options, grouping: grouping)
    )
  }

  private func adding(_ add: (inout MutationCallbacks) -> Void) -> Self {
    var callbacks = MutationCallbacks()
    add(&callbacks)
    return Mutation(key: key, definition: definition.with(callbacks: callbacks))
  }
}
