/// The reason why a durable mutation was not stored or not sent, or why a call of the outbox failed.
public enum OutboxError: Error, Sendable, CustomStringConvertible {
  /// The store can never store the run, so it was not sent.
  case unwritable(QueryStoreError)
  /// The mutation's key or its input cannot be encoded, so the run was not sent.
  case notEncodable(mutation: String, reason: any Error)
  /// A record is damaged, or was written by a later version. It stays in the store, unchanged.
  case unreadable(record: String)
  /// A part of the store was damaged.
  case damaged(StoreDamage)
  /// A stored input is not of the form that the mutation decodes. The item waits for the app's decision,
  /// unless a newer run replaces it.
  case undecodable(mutation: String, version: String, reason: any Error)
  /// A newer run has replaced an item with an input that could not be decoded. The mutation has no pacing
  /// key, so the two may be about different things.
  case replacedUnread(mutation: String, version: String)
  /// The store was not read within ``OutboxConfiguration/restoreTimeout``: runs that are not durable go on
  /// without the store.
  case slowStore
  /// The outbox was given a mutation that is not durable.
  case notDurable(mutation: String)
  /// Durable mutations of different types have the same name, so their records cannot be told apart.
  case sameName(mutation: String)
  /// The item is not in the outbox: it was sent, it was dropped, or it never existed.
  case noSuchItem
  /// The item is being sent, so its input cannot be changed.
  case sending
  /// The input is not of the type of the item's mutation, or no such mutation is registered.
  case otherInput(mutation: String)

  /// A sentence about the problem, with advice.
  public var description: String {
    switch self {
    case .unwritable(let error):
      "the mutation was not sent because it cannot be kept: \(error)"
    case .notEncodable(let mutation, let reason):
      "\(mutation) cannot be kept, make its key and its input Codable: \(reason)"
    case .unreadable(let record):
      "the record \(record) is damaged or of a later version, and stays in the store as it is"
    // The text does not name the file or row, because its name contains the account, which logs must not
    // show.
    case .damaged(let damage): "\(damage.byteCount) damaged bytes in the store were left out"
    case .undecodable(let mutation, let version, let reason):
      """
      an input of \(mutation), version '\(version)', cannot be decoded: register the mutation with \
      durable(version:migrating:), or drop or rebase the item: \(reason)
      """
    case .replacedUnread(let mutation, let version):
      """
      a newer run of \(mutation) took the place of an item of version '\(version)' that could not be read: \
      with .pacing(.newest) say what a run is a version of: .pacing(.newest, of: \\.id)
      """
    case .slowStore:
      "the outbox takes longer to read than runs wait for it: durable ones still wait"
    case .notDurable(let mutation):
      "\(mutation) was given to an outbox and is not durable: add durable() to it"
    case .sameName(let mutation):
      """
      durable mutations with other types are called \(mutation) as well, and what is kept of them \
      cannot be told apart after a restart: give each of them a key of its own
      """
    case .noSuchItem: "the outbox has no such item: it was sent or dropped"
    case .sending: "the item is being sent: drop it, or wait until it failed"
    case .otherInput(let mutation):
      "the input is not of the type of \(mutation), or no such mutation is registered"
    }
  }
}
