/// Which accounts are open, which are not erased yet, and whose turn it is to change that.
///
/// What is done with one account happens one after the other, in the order of the calls; different
/// accounts do not wait for each other.
struct ScopeTable<Client, Store, Wait> {
  /// An account that is open.
  struct Opened {
    let serial: Int
    let client: Client
  }

  /// What the end of an account means, depending on what has become of it since it was opened.
  enum Ending {
    /// It is open, or closed, or could not be erased so far.
    case erase
    /// It has ended already.
    case nothing
    /// It was closed, and opened again by somebody else.
    case isOpenAgain
  }

  private(set) var opened: [String: Opened] = [:]
  /// The accounts whose end has failed, and the stores in which.
  private(set) var unfinished: [String: [Store]] = [:]
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
    return lastSerial
  }

  /// An account was closed.
  ///
  /// - Returns: Its client, to be released outside of locks; `nil` if it was not open any more.
  mutating func closed(_ name: String, _ serial: Int) -> Client? {
    opened[name]?.serial == serial ? opened.removeValue(forKey: name)?.client : nil
  }

  /// What the end of an account means.
  ///
  /// - Parameters:
  ///   - name: The account.
  ///   - serial: The time that it was opened.
  ///   - hadEnded: Whether it had ended before the call.
  /// - Returns: What is to be done.
  func ending(of name: String, _ serial: Int, hadEnded: Bool) -> Ending {
    let present = opened[name]?.serial
    if present == serial { return .erase }
    if hadEnded { return unfinished[name] == nil ? .nothing : .erase }
    return present == nil ? .erase : .isOpenAgain
  }

  /// The stores of an account were erased, or not.
  ///
  /// - Parameters:
  ///   - name: The account.
  ///   - stores: The stores that may still keep something.
  /// - Returns: The client of the account, to be released outside of locks.
  mutating func ended(_ name: String, failedIn stores: [Store]) -> Client? {
    unfinished[name] = stores.isEmpty ? nil : stores
    return opened.removeValue(forKey: name)?.client
  }
}
