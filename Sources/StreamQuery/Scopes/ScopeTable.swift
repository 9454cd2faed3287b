/// Which accounts are open, which are not erased yet, and whose turn it is to change that.
///
/// What is done with one account happens one after the other, in the order of the calls; different
/// accounts do not wait for each other.
struct ScopeTable<Client: AnyObject, Store, Wait> {
  /// An account that is open.
  struct Opened {
    let serial: Int
    let client: Client
  }

  private struct Known {
    weak var client: Client?
  }

  /// What the account was, when its end was asked for by one who has opened it.
  enum Claim {
    /// What he has opened is open.
    case isOpen
    /// It was closed before.
    case wasClosed
    /// It had ended before.
    case hadEnded
  }

  /// What is to be done at the end of an account.
  enum Ending {
    case erase
    case nothing
    /// It was closed, and opened again by somebody else.
    case isOpenAgain
  }

  private(set) var opened: [String: Opened] = [:]
  /// The accounts whose end has failed, and the stores in which.
  private(set) var unfinished: [String: [Store]] = [:]
  /// The clients that were made for accounts: those that were closed may still be used.
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
    known[name, default: []].append(Known(client: client))
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

  /// What an account is whose end is asked for.
  ///
  /// - Parameters:
  ///   - name: The account.
  ///   - serial: The time that it was opened.
  ///   - hadEnded: Whether it has ended since.
  /// - Returns: What it is.
  func claim(on name: String, _ serial: Int, hadEnded: Bool) -> Claim {
    if opened[name]?.serial == serial { return .isOpen }
    return hadEnded ? .hadEnded : .wasClosed
  }

  /// What is to be done when the turn has come.
  func ending(of name: String, _ claim: Claim) -> Ending {
    switch claim {
    case .isOpen: .erase
    case .wasClosed: opened[name] == nil ? .erase : .isOpenAgain
    case .hadEnded: unfinished[name] == nil ? .nothing : .erase
    }
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
