/// The identity of a file: two paths or open files with equal identities are the same file.
///
/// A removed file's number is not used again while the file is open.
struct FileIdentity: Hashable, Sendable {
  var device: UInt64
  var number: UInt64
}
