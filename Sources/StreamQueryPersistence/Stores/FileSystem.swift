/// The calls to the system that a ``FileStore`` makes; tests use a disk that fails on demand.
///
/// A name that was created, changed or removed is durable after ``syncDirectory(_:)``, bytes and
/// length of a file after ``StoredFile/sync()``.
protocol FileSystem: Sendable {
  /// Creates the directory and those above it, unless it is there.
  func createDirectory(_ path: String) throws(QueryStoreError)
  /// Locks a file, which is created if necessary, for as long as the result lives.
  ///
  /// - Throws: ``QueryStoreError/inUse`` if another process or another caller has locked it.
  func lock(_ path: String) throws(QueryStoreError) -> any FileLock
  /// The file at a path; `nil` if there is none.
  func identity(of path: String) throws(QueryStoreError) -> FileIdentity?
  func files(in directory: String) throws(QueryStoreError) -> [String]
  func open(_ path: String, _ mode: FileMode) throws(QueryStoreError) -> any StoredFile
  /// Renames a file, and replaces the one that has the new name.
  func rename(_ path: String, to newPath: String) throws(QueryStoreError)
  /// Removes a file, unless it is gone already.
  func remove(_ path: String) throws(QueryStoreError)
  func syncDirectory(_ path: String) throws(QueryStoreError)
}
