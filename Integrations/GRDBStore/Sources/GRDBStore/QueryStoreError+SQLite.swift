internal import GRDB
internal import StreamQueryPersistence

extension QueryStoreError {
  /// Converts an error of the database to the error of a store.
  init(database error: any Error) {
    if let error = error as? QueryStoreError {
      self = error
      return
    }
    switch (error as? DatabaseError)?.resultCode {
    case .SQLITE_FULL: self = .full
    case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN: self = .denied
    // `SQLITE_BUSY` and `SQLITE_LOCKED` are not `.inUse`, because a client gives up a store in use. The other
    // connection will end its transaction, so the client has to try again.
    default: self = .failed(error)
    }
  }
}
