internal import StreamQuery

/// The part of an operator that its lock protects: the machine, and the tasks and values that the machine
/// knows only by their identities.
struct OperatorState<Machine: OperatorMachine, Output: Sendable, Failure: Error> {
  typealias Answer = Result<Output?, Failure>
  typealias Source = OperatorStorage<Machine, Output, Failure>.Source

  /// An upstream that has started.
  struct Upstream {
    let slot: TaskSlot
    /// Whether the machine has asked for an element, and the upstream's task has not noticed it yet.
    var hasPull = false
    /// The task of the upstream, while it waits until the machine asks for an element.
    var waiter: SuspendedTask<Bool>?
  }

  enum Consumer {
    /// The consumer does not wait, or is about to suspend itself.
    case absent
    /// The consumer's answer came before it suspended itself.
    case answered(Answer)
    case parked(SuspendedTask<Answer>)
  }

  /// The work of a transaction that is done after the unlock.
  struct Effects {
    var starts: [(id: UpstreamID, source: Source, slot: TaskSlot)] = []
    var timer: (end: Duration, slot: TaskSlot)?
    var cancellations: [TaskSlot] = []
    var pulls: [(waiter: SuspendedTask<Bool>, isPulled: Bool)] = []
    var answer: (consumer: SuspendedTask<Answer>, answer: Answer)?

    // The answers and sources to release after the unlock, because their release may run user code.
    var releasedAnswers: [Answer] = []
    var releasedSources: [Source] = []
  }

  var upstreams: [UpstreamID: Upstream] = [:]
  var consumer = Consumer.absent

  private var machine: Machine
  private var sources: [UpstreamID: Source] = [:]
  private var sourceCount = 0
  private var arrivals: [ArrivalID: Answer] = [:]
  private var arrivalCount = 0
  private var timer: TaskSlot?
  private var latest = Duration.zero
  private var effects = Effects()
  private let timeOutFailure: Failure?

  init(_ definition: OperatorDefinition<Machine, Output, Failure>) {
    machine = definition.machine
    timeOutFailure = definition.timeOutFailure
    for source in definition.sources { _ = add(source) }
  }

  mutating func store(_ answer: Answer) -> ArrivalID {
    let id = ArrivalID(rawValue: arrivalCount)
    arrivalCount += 1
    arrivals[id] = answer
    return id
  }

  mutating func add(_ source: @escaping Source) -> UpstreamID {
    let id = UpstreamID(rawValue: sourceCount)
    sourceCount += 1
    sources[id] = source
    return id
  }

  mutating func takeAnswer() -> Answer? {
    guard case .answered(let answer) = consumer else { return nil }
    consumer = .absent
    return answer
  }

  /// Takes the machine's request for an element of an upstream, and returns `true`; returns `nil` if there is
  /// no request yet, and `false` if the upstream was stopped.
  mutating func takePull(_ id: UpstreamID) -> Bool? {
    guard let upstream = upstreams[id] else { return false }
    guard upstream.hasPull else { return nil }
    upstreams[id]?.hasPull = false
    return true
  }

  /// Returns whether a timer that fired is still the present one, and removes it in that case.
  mutating func timerReported(_ slot: TaskSlot) -> Bool {
    guard timer === slot else { return false }
    timer = nil
    return true
  }

  mutating func takeEffects() -> Effects {
    defer { effects = Effects() }
    return effects
  }

  /// Gives an input to the machine, and collects the work to do after the unlock.
  mutating func receive(_ input: OperatorInput, at now: Duration) {
    // If the clock runs back, the machine's time does not.
    latest = max(latest, now)
    for action in machine.receive(input, at: latest) { perform(action) }
  }

  private mutating func perform(_ action: OperatorAction) {
    switch action {
    case .start(let id):
      guard let source = sources.removeValue(forKey: id) else { return }
      let slot = TaskSlot()
      upstreams[id] = Upstream(slot: slot)
      effects.starts.append((id, source, slot))
    case .pull(let id):
      guard let waiter = upstreams[id]?.waiter.take() else {
        upstreams[id]?.hasPull = true
        return
      }
      effects.pulls.append((waiter, true))
    case .stop(let id):
      if let source = sources.removeValue(forKey: id) { effects.releasedSources.append(source) }
      guard let upstream = upstreams.removeValue(forKey: id) else { return }
      effects.cancellations.append(upstream.slot)
      if let waiter = upstream.waiter { effects.pulls.append((waiter, false)) }
    case .wake(at: let end):
      let slot = TaskSlot()
      timer = slot
      effects.timer = (end, slot)
    case .stopTimer:
      if let slot = timer.take() { effects.cancellations.append(slot) }
    case .deliver(let arrival):
      if let answer = arrivals.removeValue(forKey: arrival) { tell(answer) }
    case .discard(let arrival):
      if let answer = arrivals.removeValue(forKey: arrival) {
        effects.releasedAnswers.append(answer)
      }
    case .finish:
      tell(.success(nil))
    case .timeOut:
      tell(timeOutFailure.map { .failure($0) } ?? .success(nil))
    }
  }

  private mutating func tell(_ answer: Answer) {
    switch consumer {
    case .parked(let waiting):
      consumer = .absent
      effects.answer = (waiting, answer)
    case .absent:
      consumer = .answered(answer)
    case .answered(let earlier):
      // A machine answers each demand once. If it ever answered twice, the earlier value would be released
      // after the unlock.
      effects.releasedAnswers.append(earlier)
      consumer = .answered(answer)
    }
  }
}
