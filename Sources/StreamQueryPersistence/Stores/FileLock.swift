/// A lock on a file; the lock is released with its last reference, or at the end of its process.
protocol FileLock: AnyObject, Sendable {
  /// The locked file.
  var identity: FileIdentity { get }
}
