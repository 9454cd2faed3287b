/// What a ``FileStore`` asks of the system; tests put a disk in its place that fails when they say.
///
/// A name that was created, changed or removed is durable after ``syncDirectory(_:)``, bytes and
/// length of a file after ``StoredFile/sync()``.
protocol FileSystem: Sendable {
  /// Creates the directory and those above it, unless it is there.
  func createDirectory(_ path: String) throws(QueryStoreError)
  /// Locks a file, which is created if need be, for as long as the result lives.
  ///
  /// - Throws: ``QueryStoreError/inUse`` if another process or another caller has locked it.
  func lock(_ path: String) throws(QueryStoreError) -> any FileLock
  /// Which file a path leads to; `nil` if there is none.
  func identity(of path: String) throws(QueryStoreError) -> FileIdentity?
  func files(in directory: String) throws(QueryStoreError) -> [String]
  func open(_ path: String, _ mode: FileMode) throws(QueryStoreError) -> any StoredFile
  /// Gives a file another name, in place of the file that has it.
  func rename(_ path: String, to newPath: String) throws(QueryStoreError)
  /// Removes a file, unless it is gone already.
  func remove(_ path: String) throws(QueryStoreError)
  func syncDirectory(_ path: String) throws(QueryStoreError)
}
