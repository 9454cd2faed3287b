@testable import StreamQueryOperators

/// A world in which a machine lives: it offers every input that a shell could give, and rejects
/// every action that the promises of `OperatorMachine` forbid.
struct OperatorModel<Machine: OperatorMachine> {
  enum Input: Hashable {
    case demanded
    case subscribed(UpstreamID)
    case arrived(UpstreamID)
    case opened(UpstreamID)
    case finished(UpstreamID)
    case failed(UpstreamID)
    case timerFired
    case timePassed
    case cancelled
  }

  private enum Task: Equatable {
    case new
    case resting
    case pulled
    /// Stopped while it asked for an element: it may still report.
    case stoppedWhilePulled
    case ended
  }

  private var machine: Machine
  private let opens: Bool
  private var now = Duration.zero
  private var tasks: [UpstreamID: Task] = [:]
  /// New tasks that were pulled before they subscribed.
  private var pulledEarly: Set<UpstreamID> = []
  private var openedCount = 1
  private var arrivals: Set<ArrivalID> = []
  private var failures: Set<ArrivalID> = []
  private var arrivalCount = 0
  private var timer: Duration?
  private var isWaiting = false
  private var hasEnded = false
  private var isCancelled = false
  private(set) var trace: [Input] = []
  private(set) var violations: [String] = []

  /// - Parameters:
  ///   - machine: The machine.
  ///   - opens: Whether upstream 0 produces upstreams instead of elements.
  init(_ machine: Machine, opens: Bool = false) {
    self.machine = machine
    self.opens = opens
  }

  /// Every input that is possible now.
  var inputs: [Input] {
    var inputs: [Input] = isCancelled ? [] : [.cancelled]
    if !isWaiting { inputs.append(.demanded) }
    if timer != nil { inputs += [.timerFired, .timePassed] }
    for (id, task) in tasks.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      switch task {
      case .new: inputs.append(.subscribed(id))
      case .pulled, .stoppedWhilePulled:
        inputs.append(opens && id.rawValue == 0 ? .opened(id) : .arrived(id))
        inputs += [.finished(id), .failed(id)]
      case .resting, .ended: break
      }
    }
    return inputs
  }

  mutating func perform(_ input: Input) {
    trace.append(input)
    switch input {
    case .demanded:
      isWaiting = true
      check(machine.receive(.demanded, at: now))
    case .subscribed(let id):
      tasks[id] = pulledEarly.remove(id) == nil ? .resting : .pulled
      check(machine.receive(.subscribed(id), at: now))
    case .arrived(let id):
      answered(id)
      check(machine.receive(.arrived(arrival(), from: id), at: now))
    case .opened(let id):
      answered(id)
      let inner = UpstreamID(rawValue: openedCount)
      openedCount += 1
      check(machine.receive(.opened(inner, from: id), at: now))
    case .finished(let id):
      tasks[id] = .ended
      check(machine.receive(.finished(id), at: now))
    case .failed(let id):
      tasks[id] = .ended
      let failure = arrival()
      failures.insert(failure)
      check(machine.receive(.failed(id, with: failure), at: now))
    case .timerFired:
      now = max(now, timer ?? now)
      timer = nil
      check(machine.receive(.timerFired, at: now))
    case .timePassed:
      now += .seconds(1)
    case .cancelled:
      isCancelled = true
      check(machine.receive(.cancelled, at: now))
      expect(arrivals.isEmpty, "cancellation keeps \(arrivals)")
      expect(timer == nil, "cancellation keeps the timer")
      expect(
        !tasks.values.contains { $0 == .pulled || $0 == .resting },
        "cancellation keeps a task"
      )
    }
    checkProgress()
  }

  private mutating func arrival() -> ArrivalID {
    defer { arrivalCount += 1 }
    arrivals.insert(ArrivalID(rawValue: arrivalCount))
    return ArrivalID(rawValue: arrivalCount)
  }

  private mutating func answered(_ id: UpstreamID) {
    tasks[id] = tasks[id] == .stoppedWhilePulled ? .ended : .resting
  }

  private mutating func check(_ actions: [OperatorAction]) {
    for action in actions {
      check(action)
    }
  }

  private mutating func check(_ action: OperatorAction) {
    switch action {
    case .start(let id):
      expect(tasks[id] == nil && !hasEnded && !isCancelled, "\(action)")
      tasks[id] = .new
    case .pull(let id):
      if tasks[id] == .new {
        expect(pulledEarly.insert(id).inserted, "\(action) twice")
      } else {
        expect(tasks[id] == .resting, "\(action)")
        tasks[id] = .pulled
      }
    case .stop(let id):
      expect(tasks[id] != .ended && tasks[id] != .stoppedWhilePulled, "\(action)")
      tasks[id] = tasks[id] == .pulled ? .stoppedWhilePulled : .ended
    case .wake(at: let end):
      expect(timer == nil && end >= now, "\(action) at \(now)")
      timer = end
    case .stopTimer:
      expect(timer != nil, "\(action)")
      timer = nil
    case .deliver(let id):
      expect(isWaiting && arrivals.remove(id) != nil, "\(action)")
      isWaiting = false
      if failures.contains(id) { end() }
    case .discard(let id):
      expect(arrivals.remove(id) != nil, "\(action)")
    case .finish, .timeOut:
      expect(isWaiting, "\(action)")
      expect(action == .finish || !hasEnded, "\(action)")
      isWaiting = false
      end()
    }
  }

  private mutating func end() {
    hasEnded = true
    expect(arrivals.isEmpty, "\(arrivals) are left at the end")
  }

  /// Whoever waits must have something to wait for, and after the end nothing may go on.
  private mutating func checkProgress() {
    let isPulling = tasks.contains { id, task in
      task == .pulled || task == .new && pulledEarly.contains(id)
    }
    expect(!isWaiting || isPulling || timer != nil, "the consumer waits for nothing")
    let isRunning = tasks.values.contains { $0 == .pulled || $0 == .resting || $0 == .new }
    expect(!hasEnded || !isRunning, "a task goes on after the end")
    expect(!hasEnded || timer == nil, "a timer goes on after the end")
  }

  private mutating func expect(_ condition: Bool, _ violation: String) {
    if !condition { violations.append(violation) }
  }
}

extension OperatorModel {
  /// Tries every sequence of up to `depth` inputs; the first broken promise, and what led to it.
  static func firstViolation(
    _ machine: Machine,
    opens: Bool = false,
    depth: Int
  ) -> (trace: [Input], violations: [String])? {
    firstViolation(from: OperatorModel(machine, opens: opens), depth: depth)
  }

  private static func firstViolation(
    from model: OperatorModel,
    depth: Int
  ) -> (trace: [Input], violations: [String])? {
    guard model.violations.isEmpty else { return (model.trace, model.violations) }
    guard depth > 0 else { return nil }
    for input in model.inputs {
      var next = model
      next.perform(input)
      if let violation = firstViolation(from: next, depth: depth - 1) { return violation }
    }
    return nil
  }

  /// Takes a long random walk; the first broken promise, and what led to it.
  static func violation(
    _ machine: Machine,
    opens: Bool = false,
    steps: Int,
    seed: UInt64
  ) -> (trace: [Input], violations: [String])? {
    var model = OperatorModel(machine, opens: opens)
    var state = seed
    for _ in 0..<steps {
      // Ends and cancellations come seldom, or no walk would be long.
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let isEnding = (state >> 33) % 16 == 0
      let inputs = model.inputs.filter { $0.ends == isEnding }
      guard !inputs.isEmpty else { continue }
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      model.perform(inputs[Int((state >> 33) % UInt64(inputs.count))])
      guard model.violations.isEmpty else { return (model.trace, model.violations) }
    }
    return nil
  }
}

extension OperatorModel.Input {
  var ends: Bool {
    switch self {
    case .finished, .failed, .cancelled: true
    case .demanded, .subscribed, .arrived, .opened, .timerFired, .timePassed: false
    }
  }
}
