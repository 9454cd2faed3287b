/// The reason why an entry or a run of an archive is omitted.
struct ArchiveRefusal: Error {
  var reason: ArchiveImport.Reason
}
