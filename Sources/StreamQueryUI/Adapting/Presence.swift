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
  /// Those of the client whose change it was told of last: whoever is in doubt has them.
  private var waits: SharedWaits?
  /// What the modifier was drawn with.
  private var drawnAnswer: Bool?

  /// Whether it is not known to be hidden; not tracked, so that nothing is drawn because of it.
  var isPresent: Bool { machine.observes(.onRender) }

  private func observes(_ period: ObservationPeriod) -> Bool {
    registrar.access(.result)
    return machine.observes(period)
  }

  /// The modifier is drawn.
  ///
  /// - Parameter period: When what it is around observes.
  /// - Returns: Whether that observes now.
  func drawn(observing period: ObservationPeriod) -> Bool {
    // Drawn with that answer before, so not because of it.
    if drawnAnswer == false, !machine.observes(period) { drawn() }
    let answer = observes(period)
    drawnAnswer = answer
    return answer
  }

  /// The view is drawn, for another reason than that it is shown or hidden.
  func drawn() { perform { $0.drawn() } }

  /// Readers of something in it are about to be told of a change.
  ///
  /// - Parameter client: Whose clock says how long that is a doubt.
  func changed(of client: QueryClient?) {
    waits = Pump.of(client ?? FallbackClient.taken()).waits
    perform { $0.changed() }
    outer?.changed(of: client)
  }

  /// What they were told of is read for the first time.
  func changeWasRead() {
    perform { $0.changeWasRead() }
    outer?.changeWasRead()
  }

  func appeared() { perform { $0.appeared() } }

  func disappeared() { perform { $0.disappeared() } }

  private func perform(_ fact: (inout PresenceMachine) -> PresenceMachine.Step) {
    var next = machine
    let step = fact(&next)
    switch step {
    case .nothing, .awaitEndOfTurn, .awaitEndOfDoubt: machine = next
    case .changed, .changedInDoubt:
      registrar.willChange(ResultFields(.result))
      machine = next
      registrar.didChange(ResultFields(.result))
    }
    switch step {
    case .nothing: break
    case .awaitEndOfTurn: awaitEndOfTurn()
    case .awaitEndOfDoubt: waits?.awaitSecond(self)
    case .changed: onChange?()
    case .changedInDoubt:
      waits?.awaitSecond(self)
      onChange?()
    }
  }

  private func awaitEndOfTurn() {
    if let waits { return waits.awaitEndOfTurn(self) }
    // Nothing in it has changed yet. Not weakly: the end must be told, also if the view is gone by then.
    // No executor preference: it runs on the main actor.
    Task { turnEnded() }
  }
}

extension Presence: SharedWaiter {
  func turnEnded() { perform { $0.turnEnded() } }

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
