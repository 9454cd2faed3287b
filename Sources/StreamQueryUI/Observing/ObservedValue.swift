public import Observation
@_spi(Adapters) public import StreamQuery

/// A value of the client as an observable object: the number of fetching queries, or the runs of
/// mutations.
///
/// ```swift
/// let fetching = ObservedValue(.fetchingCount(), client: client)
/// let uploads = ObservedValue(.runs(matching: .prefix("upload")), client: client)
/// show(fetching.value > 0, uploads.value.filter(\.isPaused).count)
/// ```
///
/// It follows the client until it is stopped or released. The newest state wins, and a reader is told only if
/// the value differs.
@MainActor @Observable
public final class ObservedValue<Value: Sendable> {
  /// The present value; the initial one before the start, and after the account of the client has
  /// ended.
  public var value: Value {
    let value = shown
    if !isRead {
      isRead = true
      witness?.changeWasRead()
    }
    return value
  }

  private var shown: Value
  /// Whether the value was read since it changed.
  @ObservationIgnored private var isRead = false
  @ObservationIgnored weak var witness: (any ReaderWitness)?

  /// A function inside of which arriving changes are applied, such as an animation; `nil` is none.
  @ObservationIgnored public var changeContext: ChangeContext?

  @ObservationIgnored private let source: ClientValue<Value>
  @ObservationIgnored private var client: QueryClient?
  /// The delivery of the client whose value is shown.
  @ObservationIgnored private var delivery: MainActorDelivery?
  @ObservationIgnored private var following: Task<Void, Never>?

  /// Creates an object that follows a value.
  ///
  /// - Parameters:
  ///   - source: The value.
  ///   - client: The client; without one, the object follows nothing before ``start(using:)``.
  public init(_ source: ClientValue<Value>, client: QueryClient? = nil) {
    self.source = source
    shown = source.initial
    if let client { start(using: client) }
  }

  deinit {
    following?.cancel()
  }

  /// Begins to follow the value of a client; does nothing if it follows this client already.
  ///
  /// - Parameter client: The client, which replaces a former one.
  public func start(using client: QueryClient) {
    guard self.client !== client else { return }
    stop()
    self.client = client
    // The stream begins first, so that no change is lost between it and the present value.
    let changes = source.changes(client)
    // The task has no executor preference, because it runs on the main actor.
    following = Task { [weak self] in
      for await value in changes {
        guard let self, !Task.isCancelled else { return }
        streamed(value)
      }
    }
    // This comes last, because readers that hear of the value may call back.
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
    // The account may have ended in between.
    assign(client.isErased ? source.initial : now)
  }

  private func streamed(_ new: Value) {
    // The account may have ended after the stream had this value.
    guard client?.isErased != true else { return }
    // The value is read without tracking, because this code does not depend on it.
    guard !source.isSame(_shown, new) else { return }
    if let changeContext { changeContext { assign(new) } } else { assign(new) }
    // The other changes show in the same job.
    delivery?.deliverNow()
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
