internal import Observation
internal import StreamQuery

/// Whether what a modifier is around is shown.
///
/// Its members observe or not because of it. They hear of a change at once: SwiftUI may draw hidden
/// views as late as when they are shown again. Readers hear of it as well, so that the modifier is
/// drawn.
@MainActor
final class Presence: nonisolated Observable {
  /// Whether a body reads it in a turn in which it is hidden and updated.
  private enum Reading {
    case none
    case awaited
    case read
  }

  private let registrar = ObservationRegistrar()
  private var reading = Reading.none
  private var machine = PresenceMachine()
  /// Called when it is shown or hidden.
  var onChange: (@MainActor () -> Void)?
  /// Of a modifier that says when queries are observed; made when it is drawn.
  private(set) var scope: PresenceScope?
  /// The waits of the client whose change was reported last; they are set while it is in doubt.
  private var waits: SharedWaits?

  nonisolated init() {}

  /// Whether it is not known to be hidden; not tracked, so that nothing is drawn because of it.
  var isPresent: Bool { machine.observes(.onRender) }

  /// Whether it lets observe now, and all around it do; not tracked.
  var allows: Bool { letsObserve && scope?.around.isAllowedNow != false }

  private var letsObserve: Bool { scope.map { machine.observes($0.period) } ?? true }

  /// The modifier is updated.
  ///
  /// - Parameters:
  ///   - period: When what it is around observes.
  ///   - surroundings: The surroundings of the modifier.
  func updated(observing period: ObservationPeriod, in surroundings: Surroundings) {
    let (scope, wasAllowing) = (scope ?? PresenceScope(), allows)
    self.scope = scope
    move(from: scope.around.decider, to: surroundings.decider)
    (scope.period, scope.around) = (period, surroundings)
    if letsObserve { scope.wasDrawnHidden = false }
    updated()
    // What is hidden within may be drawn much later. To begin, it has to be drawn first: it may have another key by now.
    if wasAllowing, !allows { scope.tell() }
  }

  /// Whether what it is around observes, for the body of the modifier, which is drawn when that changes.
  func isObserving() -> Bool {
    registrar.access(.result)
    noteRead()
    return allows
  }

  /// The view is updated.
  ///
  /// It is drawn only if its body reads this in the same turn: systems may update alone what is hidden.
  func updated() {
    guard machine.stage == .hidden, reading == .none else { return }
    reading = .awaited
    awaitEndOfTurn()
  }

  /// A body reads it.
  ///
  /// What follows from that is done when the turn is over: a body only answers.
  func noteRead() {
    if reading == .awaited { reading = .read }
  }

  /// It was drawn in this turn while it was hidden.
  private func drawnHidden() {
    // A modifier is drawn once because it is hidden; only the next time there is another reason.
    if let scope, !scope.wasDrawnHidden {
      scope.wasDrawnHidden = !letsObserve
    } else {
      perform { $0.drawn() }
    }
  }

  /// Readers of something in it are about to be told of a change.
  ///
  /// - Parameter client: Whose clock says how long that is a doubt.
  func changed(of client: QueryClient?) {
    waits = Pump.of(client ?? FallbackClient.taken()).waits
    perform { $0.changed() }
    scope?.around.presence?.changed(of: client)
  }

  /// Readers read the reported change for the first time.
  func changeWasRead() {
    perform { $0.changeWasRead() }
    scope?.around.presence?.changeWasRead()
  }

  func appeared() { perform { $0.appeared() } }

  /// One of its views has disappeared.
  ///
  /// - Parameter client: That of its surroundings, if they have one.
  func disappeared(of client: QueryClient?) {
    if waits == nil { waits = client.map { Pump.of($0).waits } }
    perform { $0.disappeared() }
  }

  private func perform(_ fact: (inout PresenceMachine) -> PresenceMachine.Step) {
    var next = machine
    let step = fact(&next)
    let isOther = scope.map { machine.observes($0.period) != next.observes($0.period) } ?? false
    if isOther { registrar.willChange(ResultFields(.result)) }
    machine = next
    if isOther { registrar.didChange(ResultFields(.result)) }
    switch step {
    case .nothing: break
    case .awaitEndOfTurn: awaitEndOfTurn()
    case .awaitEndOfDoubt: waits?.awaitSecond(self)
    case .changed: onChange?()
    case .changedInDoubt:
      waits?.awaitSecond(self)
      onChange?()
    }
    if isOther { scope?.tell() }
  }

  private func awaitEndOfTurn() {
    if let waits { return waits.awaitEndOfTurn(self) }
    // No client is known. Not weakly: the end must be told, also if the view is gone by then.
    // No executor preference: it runs on the main actor.
    Task { turnEnded() }
  }
}

extension Presence: PresenceMember {
  // What it does not let observe does not, whatever is around it.
  func presenceChanged() { if letsObserve { scope?.tell() } }
}

extension Presence: SharedWaiter {
  func turnEnded() {
    let wasRead = reading == .read
    reading = .none
    if wasRead { drawnHidden() }
    perform { $0.turnEnded() }
  }

  func secondPassed() -> Bool {
    var isStillInDoubt = false
    perform {
      let step = $0.doubtEnded()
      isStillInDoubt = step == .awaitEndOfDoubt
      return isStillInDoubt ? .nothing : step
    }
    return isStillInDoubt
  }
}
