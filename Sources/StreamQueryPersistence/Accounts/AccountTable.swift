/// Which accounts are open, which are not erased yet, and whose turn it is to change that.
///
/// What is done with one account happens one after the other, in the order of the calls; different
/// accounts do not wait for each other.
struct AccountTable<Client: AnyObject, Store, Wait> {
  /// An account that is open.
  struct Opened {
    let serial: Int
    let client: Client
  }

  private struct Known {
    let serial: Int
    weak var client: Client?
  }

  /// What is to be done at the end of an account.
  enum Ending {
    case erase
    /// It was erased before.
    case nothing
    /// It was closed, and opened again by somebody else.
    case isOpenAgain
  }

  private(set) var opened: [String: Opened] = [:]
  /// The accounts whose end has failed, and the stores in which.
  private(set) var unfinished: [String: [Store]] = [:]
  /// The clients that were made for accounts and not erased: those that were closed may still be used.
  private var known: [String: [Known]] = [:]
  /// The number of accounts at which those without clients leave the table.
  private var knownLimit = 64
  /// Who waits for the turn; an account without a row is nobody's turn.
  private var turns: [String: [Wait]] = [:]
  private var lastSerial = 0

  // MARK: Turns

  /// Takes the turn of an account, or waits for it.
  ///
  /// - Parameters:
  ///   - name: The account.
  ///   - wait: Who waits if it is somebody else's turn.
  /// - Returns: Whether the turn was taken.
  mutating func takeTurn(of name: String, orWait wait: Wait) -> Bool {
    guard turns[name] != nil else {
      turns[name] = []
      return true
    }
    turns[name]?.append(wait)
    return false
  }

  /// An account that is open, if it is nobody's turn to change that.
  func undisturbed(_ name: String) -> Opened? { turns[name] == nil ? opened[name] : nil }

  /// A turn is over.
  ///
  /// - Returns: Whose turn it is now.
  mutating func turnEnded(of name: String) -> Wait? {
    guard var waiting = turns[name], !waiting.isEmpty else {
      turns[name] = nil
      return nil
    }
    let next = waiting.removeFirst()
    turns[name] = waiting
    return next
  }

  // MARK: Accounts

  /// An account was opened.
  ///
  /// - Returns: The number that tells this from other times.
  mutating func opened(_ name: String, _ client: Client) -> Int {
    lastSerial += 1
    opened[name] = Opened(serial: lastSerial, client: client)
    if known.count >= knownLimit {
      known = known.filter { $0.value.contains { $0.client != nil } }
      knownLimit = max(64, 2 * known.count)
    }
    known[name, default: []].removeAll { $0.client == nil }
    known[name, default: []].append(Known(serial: lastSerial, client: client))
    return lastSerial
  }

  /// The clients of an account that still exist, closed or not.
  func clients(of name: String) -> [Client] { known[name]?.compactMap(\.client) ?? [] }

  /// An account was closed.
  ///
  /// - Returns: Its client, to be released outside of locks; `nil` if it was not open any more.
  mutating func closed(_ name: String, _ serial: Int) -> Client? {
    opened[name]?.serial == serial ? opened.removeValue(forKey: name)?.client : nil
  }

  /// Whether it is certain, before the turn has come, that the account ends.
  ///
  /// - Parameters:
  ///   - name: The account.
  ///   - serial: The time that it was opened.
  ///   - hadEnded: Whether it has ended since: then the next one may have it already.
  /// - Returns: Whether it is open, and ends now.
  func isEnding(_ name: String, _ serial: Int, hadEnded: Bool) -> Bool {
    !hadEnded && opened[name]?.serial == serial
  }

  /// What is to be done when the turn has come.
  ///
  /// - Parameters:
  ///   - name: The account.
  ///   - serial: The time that it was opened. Its client has to be retained by the caller: it is known
  ///     until it is erased.
  /// - Returns: What is to be done.
  func ending(of name: String, _ serial: Int) -> Ending {
    if unfinished[name] != nil { return .erase }
    guard known[name]?.contains(where: { $0.serial == serial && $0.client != nil }) == true else {
      return .nothing
    }
    return opened[name].map { $0.serial == serial } ?? true ? .erase : .isOpenAgain
  }

  /// The stores of an account were erased, or not.
  ///
  /// - Parameters:
  ///   - name: The account.
  ///   - stores: The stores that may still keep something.
  /// - Returns: The client of the account, to be released outside of locks.
  mutating func ended(_ name: String, failedIn stores: [Store]) -> Client? {
    unfinished[name] = stores.isEmpty ? nil : stores
    known[name] = nil
    return opened.removeValue(forKey: name)?.client
  }
}
