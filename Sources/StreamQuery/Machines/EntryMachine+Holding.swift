// A first attempt that need not be made, if somebody else brings the data.
extension EntryMachine {
  /// Whether a fetch is held back.
  package var isHeld: Bool { if case .held = stage { true } else { false } }

  /// Whether an attempt that is about to begin may be held back.
  ///
  /// It must be the first one of a fetch, without data, and is held back only once. What shows parts
  /// shows them at once.
  ///
  /// - Parameter id: The fetch; an old one may not.
  /// - Returns: Whether ``held(_:until:)`` does anything.
  package func mayBeHeld(_ id: FetchID) -> Bool {
    guard let current = running(id), !hasData, failureCount == 0 else { return false }
    return !current.wasHeld && !current.isOutdated && !current.fetchOptions.showsParts
      && current.part == .whole && current.undo.stashed == nil
  }

  /// An import is to bring what a fetch would bring.
  ///
  /// - Parameters:
  ///   - id: The fetch.
  ///   - limit: When it begins in any case; `nil` is never.
  package mutating func held(_ id: FetchID, until limit: Instant?) {
    guard mayBeHeld(id) else { return }
    fetch?.stage = .held(until: limit)
    fetch?.wasHeld = true
  }

  /// The imports that a fetch waits for are others than before.
  ///
  /// - Parameter limit: When it begins in any case; `nil` is never.
  /// - Returns: What to do: nothing that anybody sees.
  package mutating func stillHeld(until limit: Instant?) -> EntryActions {
    if isHeld { fetch?.stage = .held(until: limit) }
    return .none
  }

  /// Nobody brings the data of a fetch that is held back.
  ///
  /// - Parameter environment: The environment at the transaction.
  /// - Returns: What to do; nothing if it is not held back.
  package mutating func released(in environment: Environment) -> EntryActions {
    guard isHeld else { return .none }
    var actions = catchUp(in: environment)
    letGo(in: environment, &actions)
    return actions
  }

  /// Begins the first attempt, as a new fetch would.
  mutating func letGo(in environment: Environment, _ actions: inout EntryActions) {
    guard isHeld, var current = fetch else { return }
    actions.changed = true
    guard current.canBegin(in: environment) else {
      fetch?.stage = .paused(before: .firstAttempt)
      actions.paused = true
      return
    }
    stash(&current, &actions)
    current.attemptBegan(overMark: isKnownToHaveChanged)
    fetch = current
    actions.started = current.id
  }
}
