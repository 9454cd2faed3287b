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
  /// - Parameters:
  ///   - period: When what it is around observes.
  ///   - client: Whose clock counts.
  /// - Returns: Whether that observes now.
  func drawn(observing period: ObservationPeriod, of client: QueryClient?) -> Bool {
    // Drawn with that answer before, so not because of it.
    if drawnAnswer == false, !machine.observes(period) { drawn(of: client) }
    let answer = observes(period)
    drawnAnswer = answer
    return answer
  }

  /// The view is drawn, for another reason than that it is shown or hidden.
  func drawn(of client: QueryClient?) { perform(of: client) { $0.drawn() } }

  /// Readers of something in it are about to be told of a change.
  ///
  /// - Parameter client: Whose clock says how long that is a doubt.
  func changed(of client: QueryClient?) {
    perform(of: client) { $0.changed() }
    outer?.changed(of: client)
  }

  /// What they were told of is read for the first time.
  func changeWasRead() {
    perform { $0.changeWasRead() }
    outer?.changeWasRead()
  }

  func appeared() { perform { $0.appeared() } }

  func disappeared() { perform { $0.disappeared() } }

  private func perform(
    of client: QueryClient? = nil,
    _ fact: (inout PresenceMachine) -> PresenceMachine.Step
  ) {
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
    case .awaitEndOfTurn:
      // Not weakly: the end must be told, also if the view is gone by then.
      // No executor preference: it runs on the main actor.
      Task { perform { $0.turnEnded() } }
    case .awaitEndOfDoubt: awaitEndOfDoubt(by: (client ?? FallbackClient.taken()).clock)
    case .changed: onChange?()
    case .changedInDoubt:
      awaitEndOfDoubt(by: (client ?? FallbackClient.taken()).clock)
      onChange?()
    }
  }

  // The clock and not its client, which need not live for this.
  private func awaitEndOfDoubt(by clock: any Clock<Duration>) {
    // No executor preference: it runs on the main actor.
    Task { [weak self] in
      repeat { try? await clock.sleep(for: .seconds(1)) } while self?.isStillInDoubt() == true
    }
  }

  /// A second has passed since the first change that is a doubt.
  ///
  /// - Returns: Whether another second has to pass.
  private func isStillInDoubt() -> Bool {
    var isStill = false
    perform {
      let step = $0.doubtEnded()
      isStill = step == .awaitEndOfDoubt
      return isStill ? .nothing : step
    }
    return isStill
  }
}
