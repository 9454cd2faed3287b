internal import GRDB
internal import StreamQueryPersistence

extension QueryStoreError {
  /// Makes the error of a store from an error of the database.
  init(database error: any Error) {
    if let error = error as? QueryStoreError {
      self = error
      return
    }
    switch (error as? DatabaseError)?.resultCode {
    case .SQLITE_FULL: self = .full
    case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN: self = .denied
    // `SQLITE_BUSY` and `SQLITE_LOCKED` do not mean `.inUse`: the other connection ends its transaction, but
    // a store in use is given up.
    default: self = .failed(error)
    }
  }
}
