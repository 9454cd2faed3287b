/// The consumer's side of an operator: what it will get next, and how it ends.
///
/// Pure. Every machine has one, so that the order "elements, then the end" and the rule "answer a
/// waiting consumer exactly once" are decided in one place.
///
/// | state  | demanded                | append / replace       | finish / fail          | close            |
/// |--------|-------------------------|------------------------|------------------------|------------------|
/// | open   | first of queue, or wait | deliver if waited for  | ending, or end if idle | closed, discards |
/// | ending | first of queue, or end  | discarded              | discarded              | closed, discards |
/// | closed | finish                  | discarded              | discarded              | nothing          |
struct Outlet: Equatable, Sendable {
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

  /// Whether more may still be offered.
  var isOpen: Bool { state == .open }

  /// The consumer waits for an element.
  mutating func demanded() -> [FlowAction] {
    isWaiting = true
    return answer()
  }

  /// Queues an arrival behind those that wait already.
  mutating func append(_ arrival: ArrivalID) -> [FlowAction] {
    guard isOpen else { return [.discard(arrival)] }
    queue.append(arrival)
    return answer()
  }

  /// Queues an arrival in place of those that wait already: conflation, the newest wins.
  mutating func replace(with arrival: ArrivalID) -> [FlowAction] {
    guard isOpen else { return [.discard(arrival)] }
    return discardQueue() + append(arrival)
  }

  /// Throws away what the consumer has not taken.
  mutating func discardQueue() -> [FlowAction] {
    defer { queue.removeAll() }
    return queue.map { .discard($0) }
  }

  /// Ends well after what is queued.
  mutating func finish() -> [FlowAction] {
    guard isOpen else { return [] }
    state = .ending(failure: nil)
    return answer()
  }

  /// Ends with a failure after what is queued.
  mutating func fail(with failure: ArrivalID) -> [FlowAction] {
    guard isOpen else { return [.discard(failure)] }
    state = .ending(failure: failure)
    return answer()
  }

  /// Ends with the operator's own error, in place of an element that the consumer waits for.
  mutating func timeOut() -> [FlowAction] {
    guard isOpen, isWaiting else { return [] }
    state = .closed
    isWaiting = false
    return [.timeOut]
  }

  /// Ends at once: what is queued is thrown away and a waiting consumer is told.
  mutating func close() -> [FlowAction] {
    var actions = discardQueue()
    if case .ending(let failure?) = state { actions.append(.discard(failure)) }
    state = .closed
    return actions + answer()
  }

  private mutating func answer() -> [FlowAction] {
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
