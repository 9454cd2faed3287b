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

  /// The work that is left for a call that ends an account.
  enum Ending {
    case erase
    /// The account was erased before, and nothing is left to do.
    case nothing
    /// The account was closed, and another call has opened it again.
    case isOpenAgain
  }

  private(set) var opened: [String: Opened] = [:]
  /// The accounts that could not be erased in some stores, with these stores.
  private(set) var unfinished: [String: [Store]] = [:]
  /// The clients of accounts that were not erased, including those of closed accounts, which code may still
  /// use.
  private var known: [String: [Known]] = [:]
  /// The number of accounts in `known` at which the table removes accounts without a living client.
  private var knownLimit = 64
  /// The calls that have the turns of accounts, or wait for them.
  var turns = TurnQueue<String, Wait>()
  private var lastSerial = 0

  /// Returns an account if it is open and no call has its turn.
  func undisturbed(_ name: String) -> Opened? { turns.isFree(name) ? opened[name] : nil }

  /// Records that an account was opened.
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

  /// Returns the clients of an open or closed account, as far as they still exist.
  func clients(of name: String) -> [Client] { known[name]?.compactMap(\.client) ?? [] }

  /// Records that an account was closed.
  ///
  /// - Returns: The client, which the caller releases outside of locks; `nil` if this opening was over
  ///   already.
  mutating func closed(_ name: String, _ serial: Int) -> Client? {
    opened[name]?.serial == serial ? opened.removeValue(forKey: name)?.client : nil
  }

  /// Returns whether a call can end an account at once, before it has the turn.
  ///
  /// - Parameters:
  ///   - name: The account.
  ///   - serial: The number of the opening.
  ///   - hadEnded: Whether this opening has ended already, so that the name may belong to the next user.
  /// - Returns: Whether this opening is the present one, and has not ended.
  func isEnding(_ name: String, _ serial: Int, hadEnded: Bool) -> Bool {
    !hadEnded && opened[name]?.serial == serial
  }

  /// Returns the work that is left for a call that ends an account and has the turn.
  ///
  /// - Parameters:
  ///   - name: The account.
  ///   - serial: The number of the opening. The caller must retain the client of this opening, because the
  ///     table knows clients only while they exist.
  /// - Returns: The work that is left.
  func ending(of name: String, _ serial: Int) -> Ending {
    if unfinished[name] != nil { return .erase }
    guard known[name]?.contains(where: { $0.serial == serial && $0.client != nil }) == true else {
      return .nothing
    }
    return opened[name].map { $0.serial == serial } ?? true ? .erase : .isOpenAgain
  }

  /// Records that an account has ended, and which of its stores could not be erased.
  ///
  /// - Parameters:
  ///   - name: The account.
  ///   - stores: The stores that may still have records.
  /// - Returns: The client of the account, which the caller releases outside of locks.
  mutating func ended(_ name: String, failedIn stores: [Store]) -> Client? {
    unfinished[name] = stores.isEmpty ? nil : stores
    known[name] = nil
    return opened.removeValue(forKey: name)?.client
  }
}
