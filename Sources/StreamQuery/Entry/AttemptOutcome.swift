/// What became of the answer of an attempt.
package enum AttemptOutcome: Equatable, Sendable {
  /// Nothing: its fetch was superseded, cancelled or fenced meanwhile.
  case late
  /// It does not land: the truth changed meanwhile, so the fetch was restarted.
  case restarted(EntryActions)
  /// It is the data from now on, or says that the data is still good.
  case landed(EntryActions)
  /// It is a failure, and another attempt follows.
  case retrying(EntryActions, after: TimeSpan)
  /// It is a failure, and the fetch ended with it.
  case failed(EntryActions)
  /// The attempt was cancelled or found nothing to do, and the fetch ended with it.
  case cancelled(EntryActions)

  /// What to do about it.
  package var actions: EntryActions {
    switch self {
    case .late: .none
    case .restarted(let actions), .landed(let actions), .retrying(let actions, after: _),
      .failed(let actions), .cancelled(let actions):
      actions
    }
  }
}
