internal import Observation
internal import StreamQuery

/// Tracks whether the content of a modifier is shown.
///
/// The presence decides whether its members, which are the observed objects in the content, observe. Members
/// learn of a change at once, because SwiftUI may not draw a hidden view until it is shown again. The
/// modifier's body, which reads the presence, is also told, so that SwiftUI draws the modifier.
@MainActor
final class Presence: nonisolated Observable {
  /// Whether a body has read the presence since a hidden view was updated in this turn of the main actor.
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
  /// The observed objects in the content and the rule for when they observe; `nil` for a modifier without a
  /// rule.
  private(set) var scope: PresenceScope?
  /// The waits of the client that last reported a change; `nil` before the first report.
  ///
  /// They report the end of a turn of the main actor, and the end of the seconds in which hidden content
  /// cannot be told from empty content.
  private var waits: SharedWaits?

  nonisolated init() {}

  /// Whether the content may be shown.
  ///
  /// A read is not tracked, so that it causes no drawing.
  var isPresent: Bool { machine.observes(.onRender) }

  /// Whether this modifier and all modifiers around it allow the content to observe now.
  ///
  /// A read is not tracked, so that it causes no drawing.
  var allows: Bool { letsObserve && scope?.around.observesNow != false }

  private var letsObserve: Bool { scope.map { machine.observes($0.period) } ?? true }

  /// Notes that the modifier is updated.
  ///
  /// - Parameters:
  ///   - period: The rule for when the content observes.
  ///   - queryEnvironment: The environment of the modifier.
  func updated(observing period: ObservationPeriod, in queryEnvironment: QueryEnvironment) {
    let (scope, wasAllowing) = (scope ?? PresenceScope(), allows)
    self.scope = scope
    move(from: scope.around.gate, to: queryEnvironment.gate)
    (scope.period, scope.around) = (period, queryEnvironment)
    if letsObserve { scope.wasDrawnHidden = false }
    updated()
    // Members are told here only that they have to stop. They begin again when their views are drawn, perhaps
    // much later, because a view may name another key by then.
    if wasAllowing, !allows { scope.tell() }
  }

  /// Returns whether the content observes, for the body of the modifier; a change draws the modifier again.
  func isObserving() -> Bool {
    registrar.access(.result)
    noteRead()
    return allows
  }

  /// Notes that the view is updated.
  ///
  /// If its body reads the presence in the same turn, the view is also drawn. Without that read it may be
  /// hidden, because systems may update a hidden view without drawing it.
  func updated() {
    guard machine.stage == .hidden, reading == .none else { return }
    reading = .awaited
    awaitEndOfTurn()
  }

  /// Notes that a body reads the presence.
  ///
  /// The effects follow at the end of the turn, because nothing may change while SwiftUI evaluates a body.
  func noteRead() {
    if reading == .awaited { reading = .read }
  }

  /// Notes that the view was drawn in this turn while it was hidden.
  private func drawnHidden() {
    // When the content is hidden, SwiftUI draws the modifier once for that reason. Only a further drawing has
    // another reason, and may mean that the content is shown.
    if let scope, !scope.wasDrawnHidden {
      scope.wasDrawnHidden = !letsObserve
    } else {
      enter { $0.drawn() }
    }
  }

  /// Notes that the views in the content are about to be told of a change.
  ///
  /// - Parameter client: The client; its clock measures how long the content may be empty because of the
  ///   change.
  func changed(of client: QueryClient?) {
    waits = MainActorDelivery.of(client ?? FallbackClient.taken()).waits
    enter { $0.changed() }
    scope?.around.presence?.changed(of: client)
  }

  /// Notes that a view has read the reported change for the first time.
  func changeWasRead() {
    enter { $0.changeWasRead() }
    scope?.around.presence?.changeWasRead()
  }

  func appeared() { enter { $0.appeared() } }

  /// Notes that a view of the content has disappeared.
  ///
  /// - Parameter client: The client of the view's environment, if there is one.
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
    // No client with a clock is known. The task retains this object, because the end of the turn must be
    // reported even if the view is gone by then. It has no executor preference, because the main actor would
    // ignore one.
    Task { turnEnded() }
  }
}

extension Presence: PresenceMember {
  // While this modifier itself forbids observation, a change of the modifiers around it has no effect.
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
