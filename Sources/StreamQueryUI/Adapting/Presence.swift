internal import Observation
internal import StreamQuery

/// Whether what a modifier is around is shown; a reader is told of changes.
@MainActor
final class Presence: nonisolated Observable {
  private let registrar = ObservationRegistrar()
  private var machine = PresenceMachine()
  /// Called when the answer has changed.
  var onChange: (@MainActor () -> Void)?
  /// That of the modifier around this one.
  weak var outer: Presence?

  /// Whether it is not known to be hidden.
  var isPresent: Bool { observes(.onRender) }

  func observes(_ period: ObservationPeriod) -> Bool {
    registrar.access(.result)
    return machine.observes(period)
  }

  /// Something in it is drawn.
  ///
  /// - Parameters:
  ///   - isNew: Whether it shows something else than before.
  ///   - isAnimated: Whether what that removes may disappear later.
  ///   - client: Whose clock says how much later.
  func drawn(isNew: Bool, isAnimated: Bool, of client: QueryClient?) {
    if isNew {
      perform(of: client) { $0.drawnAnew(isAnimated: isAnimated) }
    } else {
      machine.drawnAgain()
    }
    outer?.drawn(isNew: isNew, isAnimated: isAnimated, of: client)
  }

  func appeared() { perform { $0.appeared() } }

  func disappeared() { perform { $0.disappeared() } }

  private func perform(
    of client: QueryClient? = nil,
    _ fact: (inout PresenceMachine) -> PresenceMachine.Step
  ) {
    var next = machine
    switch fact(&next) {
    case .nothing: machine = next
    case .awaitEndOfTurn:
      machine = next
      // Not weakly: the end must be told, also if the view is gone by then.
      // No executor preference: it runs on the main actor.
      Task { perform { $0.turnEnded() } }
    case .awaitEndOfDoubt:
      machine = next
      let clock = (client ?? FallbackClient.taken()).clock
      // Not the client itself: it need not live for this.
      // No executor preference: it runs on the main actor.
      Task { [weak self] in
        repeat { try? await clock.sleep(for: .seconds(1)) } while self?.isStillInDoubt() == true
      }
    case .changed:
      registrar.willChange(ResultFields(.result))
      machine = next
      registrar.didChange(ResultFields(.result))
      onChange?()
    }
  }

  /// A second has passed since the first change whose animation may be running.
  ///
  /// - Returns: Whether another second has to pass.
  private func isStillInDoubt() -> Bool { machine.doubtEnded() == .awaitEndOfDoubt }
}
