/// The accounts that are open or not erased yet, and the queue of calls for each of them.
///
/// Calls that open, close or end one account run one after the other, in their order: a call that
/// runs has the *turn* of the account. Calls about different accounts do not wait for each other.
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

  /// The way to end an account.
  enum Ending {
    case erase
    /// Nothing is left to do: the account was erased before.
    case nothing
    /// The account was closed, and another call opened it again.
    case isOpenAgain
  }

  private(set) var opened: [String: Opened] = [:]
  /// The accounts whose end has failed, with the stores that failed.
  private(set) var unfinished: [String: [Store]] = [:]
  /// The clients of accounts that were not erased; a closed one may still be in use.
  private var known: [String: [Known]] = [:]
  /// The number of accounts at which the table forgets those whose clients no longer exist.
  private var knownLimit = 64
  /// The calls that wait for the turn of each account; an account whose turn is free has no row.
  private var turns: [String: [Wait]] = [:]
  private var lastSerial = 0

  // MARK: Turns

  /// Takes the turn of an account, or waits for it.
  ///
  /// - Parameters:
  ///   - name: The account.
  ///   - wait: The wait of the caller if the turn is taken.
  /// - Returns: Whether the turn was taken.
  mutating func takeTurn(of name: String, orWait wait: Wait) -> Bool {
    guard turns[name] != nil else {
      turns[name] = []
      return true
    }
    turns[name]?.append(wait)
    return false
  }

  /// The account if it is open and no call has its turn.
  func undisturbed(_ name: String) -> Opened? { turns[name] == nil ? opened[name] : nil }

  /// A turn is over.
  ///
  /// - Returns: The wait of the call that has the turn now.
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
  /// - Returns: The number of this opening.
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

  /// Whether a call is certain to end an account, although the call does not have the turn yet.
  ///
  /// - Parameters:
  ///   - name: The account.
  ///   - serial: The number of the opening.
  ///   - hadEnded: Whether this opening has ended already; then the next user may have the account.
  /// - Returns: Whether this opening is the present one, and has not ended.
  func isEnding(_ name: String, _ serial: Int, hadEnded: Bool) -> Bool {
    !hadEnded && opened[name]?.serial == serial
  }

  /// The way to end an account; the caller has the turn.
  ///
  /// - Parameters:
  ///   - name: The account.
  ///   - serial: The number of the opening. The caller must retain the client of this opening, because the
  ///     table knows clients only while they exist.
  /// - Returns: The way.
  func ending(of name: String, _ serial: Int) -> Ending {
    if unfinished[name] != nil { return .erase }
    guard known[name]?.contains(where: { $0.serial == serial && $0.client != nil }) == true else {
      return .nothing
    }
    return opened[name].map { $0.serial == serial } ?? true ? .erase : .isOpenAgain
  }

  /// The stores of an account were erased, except for those that could not be.
  ///
  /// - Parameters:
  ///   - name: The account.
  ///   - stores: The stores that may still have records.
  /// - Returns: The client of the account, to be released outside of locks.
  mutating func ended(_ name: String, failedIn stores: [Store]) -> Client? {
    unfinished[name] = stores.isEmpty ? nil : stores
    known[name] = nil
    return opened.removeValue(forKey: name)?.client
  }
}
