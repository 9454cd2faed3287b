internal import GRDB
internal import StreamQueryPersistence

extension QueryStoreError {
  /// What an error of the database means for a store.
  init(database error: any Error) {
    if let error = error as? QueryStoreError {
      self = error
      return
    }
    switch (error as? DatabaseError)?.resultCode {
    case .SQLITE_FULL: self = .full
    case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN: self = .denied
    // `SQLITE_BUSY` and `SQLITE_LOCKED` are no `.inUse`: the other connection ends its transaction, and
    // a store that is in use is given up.
    default: self = .failed(error)
    }
  }
}
