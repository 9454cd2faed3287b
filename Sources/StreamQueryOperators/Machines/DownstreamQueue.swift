/// The consumer's side of an operator: what it gets next, and how it ends.
///
/// Pure. Every machine has one, so that the order "elements, then the end" and the rule "answer a
/// waiting consumer exactly once" are decided in one place.
///
/// | state  | demanded                | append / replace       | end                    | close            |
/// |--------|-------------------------|------------------------|------------------------|------------------|
/// | open   | first of queue, or wait | deliver if waited for  | ending, or end if idle | closed, discards |
/// | ending | first of queue, or end  | discarded              | discarded              | closed, discards |
/// | closed | finish                  | discarded              | discarded              | nothing          |
///
/// An arrival may also be held, apart from the queue: the operator has not let it through yet. An end
/// lets it through.
struct DownstreamQueue: Equatable, Sendable {
  enum State: Equatable, Sendable {
    /// More may come.
    case open
    /// Nothing more comes; what is queued is delivered first, then the failure, if there is one.
    case ending(failure: ArrivalID?)
    /// The consumer was told about the end, or went away.
    case closed
  }

  private(set) var state = State.open

  /// Whether the consumer waits for an answer.
  private(set) var isWaiting = false

  /// Arrivals that the consumer has not taken yet, oldest first; empty while it waits.
  private(set) var queue: [ArrivalID] = []

  /// An arrival that is not let through yet.
  private(set) var held: ArrivalID?

  /// Whether more may still be offered.
  var isOpen: Bool { state == .open }

  /// The consumer waits for an element.
  mutating func demanded() -> [OperatorAction] {
    isWaiting = true
    return answer()
  }

  /// Queues an arrival behind those that wait already.
  mutating func append(_ arrival: ArrivalID) -> [OperatorAction] {
    guard isOpen else { return [.discard(arrival)] }
    queue.append(arrival)
    return answer()
  }

  /// Queues an arrival in place of those that wait already: conflation, the newest wins.
  mutating func replace(with arrival: ArrivalID) -> [OperatorAction] {
    guard isOpen else { return [.discard(arrival)] }
    return discardQueue() + append(arrival)
  }

  /// Holds an arrival in place of the one that is held already.
  mutating func hold(_ arrival: ArrivalID) -> [OperatorAction] {
    guard isOpen else { return [.discard(arrival)] }
    defer { held = arrival }
    return held.map { [.discard($0)] } ?? []
  }

  /// Queues the held arrival, if there is one, in place of those that wait already.
  mutating func deliverHeld() -> [OperatorAction] {
    guard let arrival = held.take() else { return [] }
    return replace(with: arrival)
  }

  /// Ends after what is queued or held, with a failure if there is one.
  mutating func end(with failure: ArrivalID?) -> [OperatorAction] {
    guard isOpen else { return failure.map { [.discard($0)] } ?? [] }
    let delivery = deliverHeld()
    state = .ending(failure: failure)
    return delivery + answer()
  }

  /// Ends with the operator's own error, in place of an element that the consumer waits for.
  mutating func timeOut() -> [OperatorAction] {
    guard isOpen, isWaiting else { return [] }
    state = .closed
    isWaiting = false
    return [.timeOut]
  }

  /// Ends at once: drops what is queued or held, and tells a waiting consumer.
  mutating func close() -> [OperatorAction] {
    var actions = discardQueue() + (held.take().map { [.discard($0)] } ?? [])
    if case .ending(let failure?) = state { actions.append(.discard(failure)) }
    state = .closed
    return actions + answer()
  }

  private mutating func discardQueue() -> [OperatorAction] {
    defer { queue.removeAll() }
    return queue.map { .discard($0) }
  }

  private mutating func answer() -> [OperatorAction] {
    guard isWaiting else { return [] }
    if !queue.isEmpty {
      isWaiting = false
      return [.deliver(queue.removeFirst())]
    }
    switch state {
    case .open:
      return []
    case .ending(let failure?):
      state = .closed
      isWaiting = false
      return [.deliver(failure)]
    case .ending(nil), .closed:
      state = .closed
      isWaiting = false
      return [.finish]
    }
  }
}
