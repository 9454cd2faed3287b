public import Observation
@_spi(Adapters) public import StreamQuery

/// A value of the client as an observable object, such as the number of fetching queries or the runs of
/// mutations.
///
/// ```swift
/// let fetching = ObservedValue(.fetchingCount(), client: client)
/// let uploads = ObservedValue(.runs(matching: .prefix("upload")), client: client)
/// show(fetching.value > 0, uploads.value.filter(\.isPaused).count)
/// ```
///
/// The object follows the client until it is stopped or released. Only the newest state is shown, and readers
/// are told only if the value differs.
@MainActor @Observable
public final class ObservedValue<Value: Sendable> {
  /// The present value; the initial one before the start, and after the end of the client's account.
  public var value: Value {
    let value = shown
    if !isRead {
      isRead = true
      witness?.changeWasRead()
    }
    return value
  }

  private var shown: Value
  /// Whether the value was read since its last change.
  @ObservationIgnored private var isRead = false
  @ObservationIgnored weak var witness: (any ReaderWitness)?

  /// A function that applies arriving changes, for example inside of an animation; `nil` applies them
  /// directly.
  @ObservationIgnored public var changeContext: ChangeContext?

  @ObservationIgnored private let source: ClientValue<Value>
  @ObservationIgnored private var client: QueryClient?
  /// The delivery of the client from which the shown value comes.
  @ObservationIgnored private var delivery: MainActorDelivery?
  @ObservationIgnored private var following: Task<Void, Never>?

  /// Creates an object that follows a value.
  ///
  /// - Parameters:
  ///   - source: The value.
  ///   - client: The client. Without a client, the object follows nothing before ``start(using:)``.
  public init(_ source: ClientValue<Value>, client: QueryClient? = nil) {
    self.source = source
    shown = source.initial
    if let client { start(using: client) }
  }

  deinit {
    following?.cancel()
  }

  /// Begins to follow the value of a client; has no effect if the object follows this client already.
  ///
  /// - Parameter client: The client, which replaces a former one.
  public func start(using client: QueryClient) {
    guard self.client !== client else { return }
    stop()
    self.client = client
    // The stream begins before the present value is read, so that no change in between is lost.
    let changes = source.changes(client)
    // The task has no executor preference, because the main actor would ignore one.
    following = Task { [weak self] in
      for await value in changes {
        guard let self, !Task.isCancelled else { return }
        streamed(value)
      }
      if !Task.isCancelled { self?.streamEnded() }
    }
    // The value is shown last, because readers that are told of it may call back.
    preview(client)
  }

  /// Stops following; the value stays.
  public func stop() {
    following?.cancel()
    (following, client) = (nil, nil)
  }

  /// Shows the value of a client, without following it.
  func preview(_ client: QueryClient) {
    let delivery = MainActorDelivery.of(client)
    delivery.remember(self)
    self.delivery = delivery
    let now = source.current(client)
    // The account may have ended since the value was read.
    assign(client.isErased ? source.initial : now)
  }

  private func streamed(_ new: Value) {
    // The account may have ended since the stream delivered the value.
    guard client?.isErased != true else { return }
    // The value is read without tracking, because a caller that is being tracked does not depend on it.
    guard !source.isSame(_shown, new) else { return }
    if let changeContext {
      let task = following
      // The function that applies the change may have stopped the object or changed its client first.
      changeContext { if following == task { assign(new) } }
    } else {
      assign(new)
    }
    // All other changes of the client are shown in the same job.
    delivery?.deliverNow()
  }

  /// Shows the present value after the end of the stream: a shutdown of the client may end the stream before
  /// its last change.
  private func streamEnded() {
    if let client { streamed(source.current(client)) }
  }

  private func assign(_ new: Value) {
    guard !source.isSame(_shown, new) else { return }
    if isRead {
      isRead = false
      witness?.readersAreTold()
    }
    shown = new
  }
}

extension ObservedValue: WitnessedObject {}

extension ObservedValue: ErasureMember {
  func forget(_ delivery: MainActorDelivery) {
    if self.delivery === delivery { assign(source.initial) }
  }
}
