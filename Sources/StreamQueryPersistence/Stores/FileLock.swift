/// A lock that ends with its last reference or its process.
protocol FileLock: AnyObject, Sendable {
  /// The locked file.
  var identity: FileIdentity { get }
}
