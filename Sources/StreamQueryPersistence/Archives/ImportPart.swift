/// One archive of an import of several archives, which is still in progress.
struct ImportPart: Sendable {
  /// The number that identifies the import.
  var number: Int
  /// The keys that the previous archive named, and the present one does not.
  var left: [String]
  /// Receives the results of this archive for the report of the import; called under the cache's lock.
  var report: @Sendable (ArchiveImport) -> Void
}
