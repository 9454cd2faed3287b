/// A lock that ends with its last reference, or its process.
protocol FileLock: AnyObject, Sendable {
  /// The file that is locked.
  var identity: FileIdentity { get }
}
