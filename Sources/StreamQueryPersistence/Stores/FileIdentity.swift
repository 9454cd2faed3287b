/// Which file it is, whatever its name: two paths or open files with equal identities are one file.
///
/// The number of a file is not given to another as long as it is open.
struct FileIdentity: Hashable, Sendable {
  var device: UInt64
  var number: UInt64
}
