/// The system calls of a ``FileStore``; tests use an implementation that fails on demand.
///
/// ``syncDirectory(_:)`` makes it durable that a name was created, changed or removed, and
/// ``StoredFile/sync()`` that a file was written or truncated.
protocol FileSystem: Sendable {
  /// Creates a directory and all directories above it, unless they exist.
  func createDirectory(_ path: String) throws(QueryStoreError)
  /// Locks a file, which is created if necessary, for as long as the returned object lives.
  ///
  /// - Throws: ``QueryStoreError/inUse`` if another process or another caller has locked it.
  func lock(_ path: String) throws(QueryStoreError) -> any FileLock
  /// Returns the identity of the file at a path; `nil` if there is no file.
  func identity(of path: String) throws(QueryStoreError) -> FileIdentity?
  func files(in directory: String) throws(QueryStoreError) -> [String]
  func open(_ path: String, _ mode: FileMode) throws(QueryStoreError) -> any StoredFile
  /// Renames a file, and replaces the file with the new name, if there is one.
  func rename(_ path: String, to newPath: String) throws(QueryStoreError)
  /// Removes a file, unless it is gone already.
  func remove(_ path: String) throws(QueryStoreError)
  func syncDirectory(_ path: String) throws(QueryStoreError)
}
