internal import Observation
internal import StreamQuery

/// Whether the content of a modifier is shown.
///
/// It decides whether its members observe. They hear of a change at once, because SwiftUI may not
/// draw a hidden view until it is shown again. Readers hear of it too, so that the modifier is
/// drawn.
@MainActor
final class Presence: nonisolated Observable {
  /// Whether a body reads the presence in a turn in which the view is hidden and updated.
  private enum Reading {
    case none
    case awaited
    case read
  }

  private let registrar = ObservationRegistrar()
  private var reading = Reading.none
  private var machine = PresenceMachine()
  /// Called when the content is shown or hidden.
  var onChange: (@MainActor () -> Void)?
  /// The scope of a modifier that says when queries are observed; made when it is drawn.
  private(set) var scope: PresenceScope?
  /// The waits of the client whose change was reported last; set while it is not known whether the
  /// view is hidden or its content empty.
  private var waits: SharedWaits?

  nonisolated init() {}

  /// Whether the content may be shown.
  ///
  /// Reading this is not tracked, so that it causes no drawing.
  var isPresent: Bool { machine.observes(.onRender) }

  /// Whether this modifier and all modifiers around it let the content observe now.
  ///
  /// Reading this is not tracked.
  var allows: Bool { letsObserve && scope?.around.observesNow != false }

  private var letsObserve: Bool { scope.map { machine.observes($0.period) } ?? true }

  /// The modifier is updated.
  ///
  /// - Parameters:
  ///   - period: When the content observes.
  ///   - queryEnvironment: The surroundings of the modifier.
  func updated(observing period: ObservationPeriod, in queryEnvironment: QueryEnvironment) {
    let (scope, wasAllowing) = (scope ?? PresenceScope(), allows)
    self.scope = scope
    move(from: scope.around.gate, to: queryEnvironment.gate)
    (scope.period, scope.around) = (period, queryEnvironment)
    if letsObserve { scope.wasDrawnHidden = false }
    updated()
    // If the content was hidden, it may be drawn much later. Before it observes, it has to be drawn, because
    // it may have another key by now.
    if wasAllowing, !allows { scope.tell() }
  }

  /// Whether the content observes, for the body of the modifier, which is drawn when that changes.
  func isObserving() -> Bool {
    registrar.access(.result)
    noteRead()
    return allows
  }

  /// The view is updated.
  ///
  /// If its body reads this in the same turn, the view is drawn: systems may also update a hidden view
  /// without drawing it.
  func updated() {
    guard machine.stage == .hidden, reading == .none else { return }
    reading = .awaited
    awaitEndOfTurn()
  }

  /// A body reads the presence.
  ///
  /// The effects come at the end of the turn, because nothing may change while a body is read.
  func noteRead() {
    if reading == .awaited { reading = .read }
  }

  /// The view was drawn in this turn while it was hidden.
  private func drawnHidden() {
    // A modifier is drawn once because it is hidden. If it is drawn again, there is another reason.
    if let scope, !scope.wasDrawnHidden {
      scope.wasDrawnHidden = !letsObserve
    } else {
      enter { $0.drawn() }
    }
  }

  /// The views in the content are about to hear of a change.
  ///
  /// - Parameter client: The client whose clock measures how long the change may empty the content.
  func changed(of client: QueryClient?) {
    waits = MainActorDelivery.of(client ?? FallbackClient.taken()).waits
    enter { $0.changed() }
    scope?.around.presence?.changed(of: client)
  }

  /// The first view has read the change.
  func changeWasRead() {
    enter { $0.changeWasRead() }
    scope?.around.presence?.changeWasRead()
  }

  func appeared() { enter { $0.appeared() } }

  /// A view of the content has disappeared.
  ///
  /// - Parameter client: The client of its surroundings, if they have one.
  func disappeared(of client: QueryClient?) {
    if waits == nil { waits = client.map { MainActorDelivery.of($0).waits } }
    enter { $0.disappeared() }
  }

  private func enter(_ fact: (inout PresenceMachine) -> PresenceMachine.Step) {
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
    // No client is known whose clock could wait. The task retains this object, because the end of
    // the turn must be reported even if the view is gone by then. It has no executor preference,
    // because it runs on the main actor.
    Task { turnEnded() }
  }
}

extension Presence: PresenceMember {
  // If this modifier forbids observation, a change of the modifiers around it does not matter.
  func presenceChanged() { if letsObserve { scope?.tell() } }
}

extension Presence: SharedWaiter {
  func turnEnded() {
    let wasRead = reading == .read
    reading = .none
    if wasRead { drawnHidden() }
    enter { $0.turnEnded() }
  }

  func secondPassed() -> Bool {
    var isStillInDoubt = false
    enter {
      let step = $0.doubtEnded()
      isStillInDoubt = step == .awaitEndOfDoubt
      return isStillInDoubt ? .nothing : step
    }
    return isStillInDoubt
  }
}
