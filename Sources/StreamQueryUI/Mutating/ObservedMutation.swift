public import Observation
@_spi(Adapters) public import StreamQuery

/// A mutation as an observable object, which runs the mutation and shows the newest run.
///
/// ```swift
/// let rename = ObservedMutation(.rename(), client: client)
/// rename.run(Rename(id: 42, name: "Ada"))          // a button
/// show(rename.isPending ? rename.input?.name : nil, rename.error)
/// ```
///
/// The object shows only runs that were started through it. A run continues when the object shows another one
/// or is released. Each property is tracked separately.
@MainActor @Observable
public final class ObservedMutation<Input: Sendable, Output: Sendable> {
  /// The shown run with all of its properties; readers are told of every change.
  public private(set) var state = MutationRun<Input, Output>.idle
  /// The state of the run; after the run's end, the way in which it ended.
  public private(set) var status = MutationStatus.idle
  /// Whether the run waits for its scope, the network or the app.
  public private(set) var isPaused = false
  /// The input of the run; `nil` if there is no run.
  public private(set) var input: Input?
  /// The output of the run; `nil` until it has succeeded.
  public private(set) var output: Output?
  /// The error of the run; `nil` until it has failed.
  public private(set) var error: (any Error)?
  /// The number of failed attempts so far; 0 after a success.
  public private(set) var failureCount = 0

  /// A function that applies arriving changes, for example inside of an animation; `nil` applies them
  /// directly.
  ///
  /// It does not apply changes that a call shows at once, such as the beginning of a run.
  @ObservationIgnored public var changeContext: ChangeContext?

  /// The mutation that the object runs.
  @ObservationIgnored public private(set) var mutation: Mutation<Input, Output>

  @ObservationIgnored private var client: QueryClient?
  @ObservationIgnored private var observer: MutationObserver<Input, Output>?
  /// The number of callers that wait for a run, which may not have begun yet.
  @ObservationIgnored private var callerCount = 0
  /// The error that shows instead of a run, because the run could not begin.
  @ObservationIgnored private var refusal: (any Error)?
  /// The task that follows the runs, from the first run until ``reset()``.
  @ObservationIgnored private var following: Task<Void, Never>?

  /// Whether a run is just being shown; readers that are told of it may call back.
  @ObservationIgnored private var isTaking = false
  /// Whether another run has to be shown after the present one.
  @ObservationIgnored private var isOutdated = false

  /// Creates an object that runs a mutation.
  ///
  /// - Parameters:
  ///   - mutation: The mutation.
  ///   - client: The client. Without a client, the mutation cannot be run before ``follow(_:using:)``.
  public init(_ mutation: Mutation<Input, Output>, client: QueryClient? = nil) {
    self.mutation = mutation
    self.client = client
    if let prepared { take(prepared) }
  }

  deinit {
    following?.cancel()
  }

  /// Whether there is no run, because none was started, or because it was reset or cancelled.
  public var isIdle: Bool { status == .idle }
  /// Whether the run has not ended.
  public var isPending: Bool { status == .pending }
  /// Whether the run ended with an output.
  public var isSuccess: Bool { status == .success }
  /// Whether the run failed.
  public var isError: Bool { status == .error }

  /// Sets the mutation and the client for later runs; for property wrappers and other adapters.
  ///
  /// If the client and the key do not change, the shown run stays, and gets the new callbacks.
  ///
  /// - Parameters:
  ///   - mutation: The mutation; `nil` keeps the present one.
  ///   - client: The client.
  public func follow(_ mutation: Mutation<Input, Output>? = nil, using client: QueryClient) {
    if let mutation { self.mutation = mutation }
    if self.client !== client {
      forgetRun()
      observer = nil
      self.client = client
    }
    if let prepared {
      take(prepared)
    } else if let observer, let mutation {
      observer.update(mutation: mutation)
      take(observer.run)
    }
  }

  /// Runs the mutation without waiting, as a button does.
  ///
  /// An earlier run is no longer shown, but continues. Optimistic changes show at once. A client that is shut
  /// down begins no run: then ``error`` is `QueryError.shutDown`.
  ///
  /// - Parameter input: The input of the run.
  public func run(_ input: Input) {
    guard prepared == nil else { return }
    guard let observer = observing() else { return forgetRun(because: ObservationError.noClient) }
    guard observer.begin(with: input) else { return forgetRun(because: QueryError.shutDown) }
    take(observer.run)
    follow(observer)
    showTogether()
  }

  /// Runs the mutation again with the ``input`` of the run that is shown, without waiting.
  ///
  /// The call has no effect unless ``isError`` is true for a run: show the button only then. If there was no
  /// client to begin a run, ``isError`` is also true, with ``ObservationError/noClient``, or with
  /// `QueryError.shutDown`; then there is no run to repeat.
  ///
  /// ```swift
  /// let rename = ObservedMutation(.rename(), client: client)
  /// if rename.isError { rename.retry() }             // a button: "Try again"
  /// ```
  ///
  /// The call starts a new run, like ``run(_:)``. Until it ends, another call has no effect.
  public func retry() {
    guard let failed = observer?.run, failed.isError, let input = failed.input else { return }
    run(input)
  }

  /// Runs the mutation and waits for its end.
  ///
  /// - Parameters:
  ///   - input: The input of the run.
  ///   - detached: Whether the run outlives its caller, so that a cancellation of the caller ends only its
  ///     wait.
  /// - Returns: The output of the work.
  /// - Throws: The errors of `QueryClient.mutate(_:with:detached:)`; ``ObservationError/noClient``; in a
  ///   preview, where mutations do not run, `CancellationError`.
  @discardableResult
  public func mutate(_ input: Input, detached: Bool = false) async throws -> Output {
    guard prepared == nil else { throw CancellationError() }
    guard let observer = observing() else {
      forgetRun(because: ObservationError.noClient)
      throw ObservationError.noClient
    }
    follow(observer)
    callerCount += 1
    showTogether()
    defer {
      callerCount -= 1
      if self.observer === observer { showTogether() }
    }
    do {
      return try await observer.mutate(input, detached: detached)
    } catch QueryError.shutDown where observer.isOver && self.observer === observer {
      forgetRun(because: QueryError.shutDown)
      throw QueryError.shutDown
    }
  }

  /// Cancels the run that is shown, if it has not ended.
  public func cancel() {
    guard let observer else { return }
    observer.cancel()
    take(observer.run)
    showTogether()
  }

  /// Shows no run any more; the run itself continues.
  public func reset() {
    if prepared == nil { forgetRun() }
  }

  /// Shows no run any more, or the error for a run that cannot begin.
  private func forgetRun(because refusal: (any Error)? = nil) {
    following?.cancel()
    following = nil
    observer?.reset()
    self.refusal = refusal
    take(.idle)
  }

  /// The prepared run of a preview, in which commands have no effect; `nil` in an app.
  private var prepared: MutationRun<Input, Output>? {
    client.flatMap { MainActorDelivery.prepared(for: $0) }?.run(of: mutation)
  }

  /// Detaches from client and mutation, so that nothing can be run or shown until the next
  /// ``follow(_:using:)``; a run that was started goes on.
  func runNothing() {
    forgetRun()
    observer = nil
    client = nil
    mutation = .none
  }

  private func observing() -> MutationObserver<Input, Output>? {
    if observer == nil { observer = client?.observer(of: mutation) }
    return observer
  }

  private func follow(_ observer: MutationObserver<Input, Output>) {
    guard following == nil else { return }
    let runs = observer.runs
    // The task has no executor preference, because the main actor would ignore one.
    following = Task { [weak self] in
      for await _ in runs {
        guard let self, !Task.isCancelled else { return }
        showTogether()
      }
    }
  }

  private func runArrived(_ run: MutationRun<Input, Output>) {
    guard !run.isSame(as: _state) else { return }
    guard let changeContext else { return take(run) }
    // The function that applies the change may have started or reset a run first, so the present run is read
    // when the change is applied.
    changeContext { take(present) }
  }

  /// The run to show.
  private var present: MutationRun<Input, Output> { prepared ?? observer?.run ?? .idle }

  /// Shows the run together with its changes of observed queries, in one job of the main actor.
  ///
  /// Otherwise a frame could show the run without its optimistic change, or the change without the run.
  private func showTogether() {
    guard let client else { return }
    let delivery = MainActorDelivery.of(client)
    delivery.add(self)
    delivery.remember(self)
    delivery.deliverNow(for: self)
  }

  private func take(_ run: MutationRun<Input, Output>) {
    guard !isTaking else { return isOutdated = true }
    isTaking = true
    defer { isTaking = false }
    show(run)
    while isOutdated {
      isOutdated = false
      show(present)
    }
  }

  private func show(_ run: MutationRun<Input, Output>) {
    // The state is read without tracking: otherwise a view that names its mutation here would observe every
    // property.
    let changed = MutationFields(_state, run)
    let status = refusal == nil ? run.status : .error
    let error = refusal ?? run.error
    if _status != status { self.status = status }
    if !run.isSame(as: _state) { state = run }
    if changed.contains(.isPaused) { isPaused = run.isPaused }
    if changed.contains(.input) { input = run.input }
    if changed.contains(.output) { output = run.output }
    // A refusal is shown once: a view is drawn for each change, and names its mutation when it is drawn.
    if changed.contains(.error) || (error == nil) != (_error == nil) { self.error = error }
    if changed.contains(.failures) { failureCount = run.failureCount }
  }
}

extension ObservedMutation where Input == Void {
  /// Runs a mutation that has no input, without waiting.
  public func run() { run(()) }

  /// Runs a mutation that has no input, and waits for its end.
  ///
  /// - Returns: The output of the work.
  /// - Throws: The errors of ``mutate(_:detached:)``.
  @discardableResult
  public func mutate() async throws -> Output { try await mutate(()) }
}

extension ObservedMutation: ErasureMember {
  func forget(_ delivery: MainActorDelivery) {
    if client.map(ObjectIdentifier.init) == delivery.clientID { forgetRun() }
  }
}

extension ObservedMutation: DeliveryParticipant {
  func look() -> Bool {
    guard let observer else { return false }
    runArrived(observer.run)
    return _status == .pending || callerCount > 0
  }
}
