internal import GRDB
internal import StreamQuery

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
    case .SQLITE_BUSY, .SQLITE_LOCKED: self = .inUse
    default: self = .failed(error)
    }
  }
}
