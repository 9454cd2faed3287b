/// The identity of a file, by any name: two paths or open files with equal identities are one file.
///
/// The number of a file is not reused as long as the file is open.
struct FileIdentity: Hashable, Sendable {
  var device: UInt64
  var number: UInt64
}
