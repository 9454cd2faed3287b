/// The reason why an account could not be opened, closed or ended.
public enum QueryAccountError: Error, Sendable, CustomStringConvertible {
  /// The account has ended, but stores could not erase its records, or remove the note of its end.
  ///
  /// Its data cannot be read, and the account cannot be opened until the data is erased. Another try is made
  /// when the account is opened or ended, by ``QueryAccounts/finishEndings()``, and in the next launch.
  case notErased(name: String, errors: [QueryStoreError])
  /// A store could not be asked which accounts have ended; until it answers, no account is opened.
  case unreadable(QueryStoreError)
  /// Changes could not be saved.
  ///
  /// The account is still open. If only changes that were made during the closing were not saved, it is
  /// closed.
  case notSaved(name: String, error: QueryStoreError)
  /// The account was closed, and has been opened again since. End the account that was opened last, or end it
  /// by its name.
  case openedAgain(name: String)

  /// A sentence that says how the error came about and what to do.
  public var description: String {
    switch self {
    case .notErased(let name, let errors):
      "the account \"\(name)\" has ended, but is not erased in all stores; end it again: "
        + errors.map(\.description).joined(separator: "; ")
    case .unreadable(let error):
      "it is not known which accounts have ended, so none is opened; try again: \(error)"
    case .notSaved(let name, let error):
      "the account \"\(name)\" is not closed, because its changes are not saved; try again: \(error)"
    case .openedAgain(let name):
      "the account \"\(name)\" was closed, and opened again since: end what was opened last"
    }
  }
}
