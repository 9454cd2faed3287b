/// The consumer's side of an operator: its next elements, and its end.
///
/// Every machine has one, so that two rules are kept in one place: the end comes after the
/// elements, and a waiting consumer gets exactly one answer.
///
/// | state  | demanded                | append / replace       | end                    | close            |
/// |--------|-------------------------|------------------------|------------------------|------------------|
/// | open   | first of queue, or wait | deliver if waited for  | ending, or end if idle | closed, discards |
/// | ending | first of queue, or end  | discarded              | discarded              | closed, discards |
/// | closed | finish                  | discarded              | discarded              | nothing          |
///
/// An arrival may also be held outside of the queue, until the operator lets it through. An end lets it
/// through.
struct DownstreamQueue: Equatable, Sendable {
  enum State: Equatable, Sendable {
    /// More arrivals may come.
    case open
    /// No more arrivals come; queued ones are delivered first, then the failure, if there is one.
    case ending(failure: ArrivalID?)
    /// The consumer has got the end, or went away.
    case closed
  }

  private(set) var state = State.open

  /// Whether the consumer waits for an answer.
  private(set) var isWaiting = false

  /// Arrivals that the consumer has not taken yet, oldest first; empty while it waits.
  private(set) var queue: [ArrivalID] = []

  /// An arrival that is not let through yet.
  private(set) var held: ArrivalID?

  /// Whether further arrivals are accepted.
  var isOpen: Bool { state == .open }

  /// The consumer waits for an element.
  mutating func demanded() -> [OperatorAction] {
    isWaiting = true
    return answer()
  }

  /// Queues an arrival behind the waiting ones.
  mutating func append(_ arrival: ArrivalID) -> [OperatorAction] {
    guard isOpen else { return [.discard(arrival)] }
    queue.append(arrival)
    return answer()
  }

  /// Queues an arrival in place of the waiting ones: conflation, the newest wins.
  mutating func replace(with arrival: ArrivalID) -> [OperatorAction] {
    guard isOpen else { return [.discard(arrival)] }
    return discardQueue() + append(arrival)
  }

  /// Holds an arrival in place of the held one.
  mutating func hold(_ arrival: ArrivalID) -> [OperatorAction] {
    guard isOpen else { return [.discard(arrival)] }
    defer { held = arrival }
    return held.map { [.discard($0)] } ?? []
  }

  /// Queues the held arrival, if there is one, in place of the waiting ones.
  mutating func deliverHeld() -> [OperatorAction] {
    guard let arrival = held.take() else { return [] }
    return replace(with: arrival)
  }

  /// Ends after the queued or held arrivals, with a failure if there is one.
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

  /// Ends at once: drops queued and held arrivals, and answers a waiting consumer.
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
