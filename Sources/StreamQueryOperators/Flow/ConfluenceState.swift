/// What a `Confluence` keeps under its lock: the machine, and the handles and values that stand
/// for the machine's ids.
struct ConfluenceState<Machine: FlowMachine, Output: Sendable, Failure: Error> {
  typealias Answer = Result<Output?, Failure>
  typealias Source = Confluence<Machine, Output, Failure>.Source
  typealias Effects = ConfluenceEffects<Machine, Output, Failure>

  /// One started upstream.
  struct Upstream {
    let slot: TaskSlot
    /// Whether it was pulled and its task has not taken note yet.
    var hasPull = false
    /// Its task, when it waits to be pulled.
    var waiter: CheckedContinuation<Bool, Never>?
  }

  enum Consumer {
    /// Not waiting, or about to park.
    case absent
    /// Answered before it could park.
    case answered(Answer)
    case parked(CheckedContinuation<Answer, Never>)
  }

  var machine: Machine
  var upstreams: [UpstreamID: Upstream] = [:]
  var consumer = Consumer.absent

  private var sources: [UpstreamID: Source]
  private var arrivals: [ArrivalID: Answer] = [:]
  private var timer: TaskSlot?
  private var latest = Duration.zero
  private var arrivalCount = 0
  private var upstreamCount: Int
  private let timeOutFailure: Failure?
  private var effects: Effects?

  init(machine: Machine, sources: [Source], timeOutFailure: Failure?) {
    self.machine = machine
    self.timeOutFailure = timeOutFailure
    upstreamCount = sources.count
    self.sources = Dictionary(
      uniqueKeysWithValues: sources.enumerated().map { (UpstreamID(rawValue: $0), $1) }
    )
  }

  /// A clock that runs back must not take a machine with it.
  mutating func monotonic(_ now: Duration) -> Duration {
    latest = max(latest, now)
    return latest
  }

  mutating func store(_ answer: Answer) -> ArrivalID {
    defer { arrivalCount += 1 }
    arrivals[ArrivalID(rawValue: arrivalCount)] = answer
    return ArrivalID(rawValue: arrivalCount)
  }

  mutating func add(_ source: @escaping Source) -> UpstreamID {
    defer { upstreamCount += 1 }
    sources[UpstreamID(rawValue: upstreamCount)] = source
    return UpstreamID(rawValue: upstreamCount)
  }

  mutating func takeAnswer() -> Answer? {
    guard case .answered(let answer) = consumer else { return nil }
    consumer = .absent
    return answer
  }

  /// Whether an upstream may go on; `nil` if it has to wait.
  mutating func takePull(_ id: UpstreamID) -> Bool? {
    guard let upstream = upstreams[id] else { return false }
    guard upstream.hasPull else { return nil }
    upstreams[id]?.hasPull = false
    return true
  }

  /// An upstream's task is about to return.
  mutating func ended(_ id: UpstreamID) {
    if let upstream = upstreams.removeValue(forKey: id) { release(upstream.slot) }
  }

  /// Whether this timer was still wanted.
  mutating func timerReported(_ slot: TaskSlot) -> Bool {
    guard timer === slot else { return false }
    timer = nil
    // Its task is about to return, and holds it until then.
    return true
  }

  mutating func takeEffects() -> Effects? {
    defer { effects = nil }
    return effects
  }

  /// Writes down what to do once the lock is open.
  mutating func perform(_ actions: [FlowAction]) {
    for action in actions {
      perform(action)
    }
  }

  private mutating func perform(_ action: FlowAction) {
    switch action {
    case .start(let id):
      guard let source = sources.removeValue(forKey: id) else { return }
      let slot = TaskSlot()
      upstreams[id] = Upstream(slot: slot)
      withEffects { $0.starts.append(Effects.Start(id: id, source: source, slot: slot)) }
    case .pull(let id):
      guard let waiter = upstreams[id]?.waiter else {
        upstreams[id]?.hasPull = true
        return
      }
      upstreams[id]?.waiter = nil
      withEffects { $0.pulls.append((waiter, true)) }
    case .stop(let id):
      if let source = sources.removeValue(forKey: id) {
        withEffects { $0.releasedSources.append(source) }
      }
      guard let upstream = upstreams.removeValue(forKey: id) else { return }
      withEffects { effects in
        effects.cancellations.append(upstream.slot)
        if let waiter = upstream.waiter { effects.pulls.append((waiter, false)) }
      }
    case .wake(at: let end):
      let slot = TaskSlot()
      timer = slot
      withEffects { $0.timer = Effects.Timer(end: end, slot: slot) }
    case .stopTimer:
      guard let slot = timer else { return }
      timer = nil
      withEffects { $0.cancellations.append(slot) }
    case .deliver(let arrival):
      if let answer = arrivals.removeValue(forKey: arrival) { tell(answer) }
    case .discard(let arrival):
      guard let answer = arrivals.removeValue(forKey: arrival) else { return }
      withEffects { $0.releasedAnswers.append(answer) }
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
      withEffects { $0.answer = (waiting, answer) }
    case .absent:
      consumer = .answered(answer)
    case .answered(let earlier):
      // A machine answers each demand once; should one not, nothing of the user's is released here.
      withEffects { $0.releasedAnswers.append(earlier) }
      consumer = .answered(answer)
    }
  }

  private mutating func release(_ slot: TaskSlot) {
    withEffects { $0.releasedSlots.append(slot) }
  }

  private mutating func withEffects(_ body: (inout Effects) -> Void) {
    if effects == nil { effects = Effects() }
    if var changed = effects.take() {
      body(&changed)
      effects = changed
    }
  }
}

/// What a turn leaves to do outside the lock.
struct ConfluenceEffects<Machine: FlowMachine, Output: Sendable, Failure: Error> {
  typealias Answer = Result<Output?, Failure>

  struct Start {
    let id: UpstreamID
    let source: Confluence<Machine, Output, Failure>.Source
    let slot: TaskSlot
  }

  struct Timer {
    let end: Duration
    let slot: TaskSlot
  }

  var starts: [Start] = []
  var timer: Timer?
  var cancellations: [TaskSlot] = []
  var pulls: [(CheckedContinuation<Bool, Never>, Bool)] = []
  var answer: (CheckedContinuation<Answer, Never>, Answer)?

  // Only released, which is code of the user's and must happen outside the lock.
  var releasedAnswers: [Answer] = []
  var releasedSources: [Confluence<Machine, Output, Failure>.Source] = []
  var releasedSlots: [TaskSlot] = []
}
