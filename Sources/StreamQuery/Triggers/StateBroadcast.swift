/// Decides which subscriber gets which state of one on-or-off source, and when that source has to
/// run.
///
/// Pure: it never awaits, never locks, never holds a continuation. Every subscriber gets the
/// present state first and then each change, conflated: while it does not read, at most three
/// states are kept for it: the one that it read last, one excursion from it, and the present one.
/// So a slow reader costs one small number, yet "it went away and came back" is never lost.
///
/// | input | nobody subscribed | running, state unknown | running, state known |
/// |---|---|---|---|
/// | `subscribed` | starts a run | waits for the report | has the present state to read |
/// | `reported` by the current run | – | every subscriber has one state to read | a change, or nothing |
/// | `reported` by another run | ignored | ignored | ignored |
/// | `left`, others remain | – | – | – |
/// | `left`, the last one | – | stops the run | stops the run, forgets the state |
struct StateBroadcast: Equatable, Sendable {
  /// Identifies one subscriber.
  struct SubscriberID: Hashable, Sendable {
    var rawValue: Int
  }

  /// Identifies one wait for a state.
  struct WaitID: Hashable, Sendable {
    var rawValue: Int
  }

  /// Identifies one period during which the source runs, so that late reports of an earlier one are
  /// ignored.
  struct RunID: Hashable, Sendable {
    var rawValue: Int
  }

  /// What the shell has to do after its lock is released.
  enum Action: Equatable, Sendable {
    /// Start the source; its reports carry this token.
    case start(RunID)
    /// Stop the source that was started with this token.
    case stop(RunID)
    /// End a wait with a state, or with `nil` if no more can come.
    case resume(WaitID, Bool?)
  }

  /// The answer to a subscriber that asks for a state.
  enum Answer: Equatable, Sendable {
    /// A state that it has not received yet.
    case state(Bool)
    /// Nothing new: wait under this token.
    case wait(WaitID)
    /// It has left.
    case finished
  }

  private struct Subscriber: Equatable, Sendable {
    var id: SubscriberID
    /// The number of states still to be read.
    ///
    /// States alternate and the last one is the present one, so the count determines all of them.
    var unread: Int
    var hasRead = false
    var waits: [WaitID] = []

    /// Counts a change; a change beyond the limit cancels out with the one before it.
    mutating func changed() {
      // Before the first read the first state is part of the count.
      let limit = hasRead ? 2 : 3
      unread += 1
      if unread > limit { unread -= 2 }
    }

    mutating func read(present: Bool) -> Bool {
      let state = unread.isMultiple(of: 2) ? !present : present
      unread -= 1
      hasRead = true
      return state
    }
  }

  /// The state that the running source reported last; `nil` before its first report.
  private(set) var present: Bool?
  /// The run that is wanted; `nil` without subscribers.
  private(set) var run: RunID?
  /// In order of arrival, so that the order of resumptions does not depend on a hash.
  private var subscribers: [Subscriber] = []
  private var subscriptions = 0
  private var waits = 0
  private var runs = 0

  /// The number of subscribers.
  var subscriberCount: Int { subscribers.count }

  mutating func subscribed() -> (id: SubscriberID, actions: [Action]) {
    let id = SubscriberID(rawValue: subscriptions)
    subscriptions += 1
    subscribers.append(Subscriber(id: id, unread: present == nil ? 0 : 1))
    guard run == nil else { return (id, []) }
    let started = RunID(rawValue: runs)
    runs += 1
    run = started
    return (id, [.start(started)])
  }

  mutating func reported(_ state: Bool, by reporter: RunID) -> [Action] {
    // A source that is being stopped may still report; its run is no longer the current one.
    guard reporter == run, state != present else { return [] }
    present = state
    var actions: [Action] = []
    for index in subscribers.indices {
      subscribers[index].changed()
      guard !subscribers[index].waits.isEmpty else { continue }
      let wait = subscribers[index].waits.removeFirst()
      actions.append(.resume(wait, subscribers[index].read(present: state)))
    }
    return actions
  }

  mutating func asked(by id: SubscriberID) -> Answer {
    guard let index = index(of: id) else { return .finished }
    if let present, subscribers[index].unread > 0 {
      return .state(subscribers[index].read(present: present))
    }
    let wait = WaitID(rawValue: waits)
    waits += 1
    return .wait(wait)
  }

  /// The wait that `asked` allowed begins.
  mutating func waited(_ wait: WaitID, by id: SubscriberID) -> [Action] {
    // The subscriber left between the question and the wait.
    guard let index = index(of: id) else { return [.resume(wait, nil)] }
    // A report came between the question and the wait.
    if let present, subscribers[index].unread > 0 {
      return [.resume(wait, subscribers[index].read(present: present))]
    }
    subscribers[index].waits.append(wait)
    return []
  }

  /// The subscriber leaves.
  ///
  /// Idempotent: both cancellation and release of an iterator call it.
  mutating func left(_ id: SubscriberID) -> [Action] {
    guard let index = index(of: id) else { return [] }
    var actions = subscribers.remove(at: index).waits.map { Action.resume($0, nil) }
    if subscribers.isEmpty, let stopped = run {
      run = nil
      // Nobody observes the source from here on: the state may be wrong at the next start.
      present = nil
      actions.append(.stop(stopped))
    }
    return actions
  }

  private func index(of id: SubscriberID) -> Int? {
    subscribers.firstIndex { $0.id == id }
  }
}
