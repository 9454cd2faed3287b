/// A lock that ends with its last reference or its process; `PosixFileSystem` takes it with `flock`.
protocol FileLock: AnyObject, Sendable {
  /// The locked file.
  var identity: FileIdentity { get }
}
