/// One of several archives of an import in progress.
struct ImportPart: Sendable {
  /// The number of the import.
  var number: Int
  /// The keys that former archives named and this one does not.
  var left: [String]
  /// Adds the results of the archive to the report of the import; called under the cache's lock.
  var report: @Sendable (ArchiveImport) -> Void
}
