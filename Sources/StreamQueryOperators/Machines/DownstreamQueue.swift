/// The consumer's side of an operator: the next elements, and the end.
///
/// Every machine has one, so that two rules are kept in one place: the end comes after the elements, and a
/// waiting consumer gets exactly one answer.
///
/// | state  | demanded                | append / replace       | end                    | close            |
/// |--------|-------------------------|------------------------|------------------------|------------------|
/// | open   | first of queue, or wait | deliver if waited for  | ending; answers a wait | closed, discards |
/// | ending | first of queue, or end  | discarded              | discarded              | closed, discards |
/// | closed | finish                  | discarded              | discarded              | nothing          |
///
/// The operator may also hold one element outside of the queue. The element joins the queue when the operator
/// lets it through, or at the end.
struct DownstreamQueue: Equatable, Sendable {
  enum State: Equatable, Sendable {
    /// More elements may come.
    case open
    /// No more elements come. The queued ones are delivered first, and then the failure, if there is one.
    case ending(failure: ArrivalID?)
    /// The consumer has got the end, or was cancelled or released.
    case closed
  }

  private(set) var state = State.open

  /// Whether the consumer waits for an answer.
  private(set) var isWaiting = false

  /// The elements that the consumer has not taken yet, oldest first; empty while the consumer waits.
  private(set) var queue: [ArrivalID] = []

  /// The element that is held outside of the queue.
  private(set) var held: ArrivalID?

  /// Whether further elements are accepted.
  var isOpen: Bool { state == .open }

  /// Notes that the consumer waits for an element, and answers at once if there is one.
  mutating func demanded() -> [OperatorAction] {
    isWaiting = true
    return answer()
  }

  /// Adds an element at the end of the queue.
  mutating func append(_ arrival: ArrivalID) -> [OperatorAction] {
    guard isOpen else { return [.discard(arrival)] }
    queue.append(arrival)
    return answer()
  }

  /// Replaces all queued elements with a newer one.
  mutating func replace(with arrival: ArrivalID) -> [OperatorAction] {
    guard isOpen else { return [.discard(arrival)] }
    return discardQueue() + append(arrival)
  }

  /// Holds an element outside of the queue, in place of the one that is held.
  mutating func hold(_ arrival: ArrivalID) -> [OperatorAction] {
    guard isOpen else { return [.discard(arrival)] }
    defer { held = arrival }
    return held.map { [.discard($0)] } ?? []
  }

  /// Replaces all queued elements with the held one, if there is one.
  mutating func deliverHeld() -> [OperatorAction] {
    guard let arrival = held.take() else { return [] }
    return replace(with: arrival)
  }

  /// Ends the sequence after the queued and held elements, with a failure if there is one.
  mutating func end(with failure: ArrivalID?) -> [OperatorAction] {
    guard isOpen else { return failure.map { [.discard($0)] } ?? [] }
    let delivery = deliverHeld()
    state = .ending(failure: failure)
    return delivery + answer()
  }

  /// Ends the sequence with the error of `timeout`, if the consumer waits.
  mutating func timeOut() -> [OperatorAction] {
    guard isOpen, isWaiting else { return [] }
    state = .closed
    isWaiting = false
    return [.timeOut]
  }

  /// Ends the sequence at once: drops queued and held elements, and tells a waiting consumer.
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
