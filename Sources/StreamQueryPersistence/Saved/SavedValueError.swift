/// The reason why data was not restored, or not saved; see
/// ``/StreamQuery/QueryEvent/Kind/persistenceFailed(_:)``.
public enum SavedValueError: Error, Sendable, CustomStringConvertible {
  /// A record does not have the form that this library writes; it is dropped.
  case unreadable(record: String)
  /// A part of the store was damaged.
  case damaged(StoreDamage)
  /// The store was not read within ``Persistence/restoreTimeout``.
  case slowStore
  /// The value of a query is not `Encodable`.
  case notEncodable(typeName: String)
  /// A value is larger than the whole ``StoreLimit`` or ``QueryStore/byteLimit``. It is not saved, and the
  /// former value of its key is removed.
  case tooLarge(byteCount: Int, limit: Int)
  /// More values waited to be written than the number of records that the ``StoreLimit`` allows. The oldest
  /// ones were dropped, and the former values of their keys are removed.
  case givenUp(count: Int)

  /// A sentence about the problem and its effect.
  public var description: String {
    switch self {
    case .unreadable(let record): "the record \(record) is not readable, and was dropped"
    // The text does not name the file or the row, because its name contains the partition, and often an
    // account.
    case .damaged(let damage): "\(damage.byteCount) damaged bytes in the store were left out"
    case .slowStore:
      "the store takes longer to read than queries wait for it; they go on without it"
    case .notEncodable(let typeName):
      "\(typeName) is not Encodable, and is not kept: make it Codable, or use notPersisted()"
    case .tooLarge(let byteCount, let limit):
      "a record of \(byteCount) bytes is above the limit of \(limit), and is not kept"
    case .givenUp(let count):
      "the store takes too long to write: of \(count) older values it keeps nothing"
    }
  }
}
