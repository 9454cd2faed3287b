/// Why something in an archive is left out.
struct ArchiveRefusal: Error {
  var reason: ArchiveImport.Reason

  init(_ reason: ArchiveImport.Reason) {
    self.reason = reason
  }
}
