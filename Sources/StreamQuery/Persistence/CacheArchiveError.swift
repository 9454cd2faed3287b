/// Why bytes are no archive that can be used.
///
/// When it is thrown, the cache has not been touched.
public enum CacheArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
  /// They do not begin as an archive does.
  case notAnArchive
  /// They are of a version that this library does not know.
  case unsupportedVersion(Int)
  /// There are more of them than the caller allows.
  case tooLarge(bytes: Int, limit: Int)
  /// There are fewer, or more, than the archive says.
  case truncated
  /// They nest deeper than this many levels.
  case tooDeep(limit: Int)
  /// They were changed, or are not what they say; the text describes how.
  case corrupt(String)

  /// What is wrong with the bytes.
  public var description: String {
    switch self {
    case .notAnArchive: "these bytes are no archive"
    case .unsupportedVersion(let version):
      "an archive of version \(version): this library reads version \(CacheArchive.version)"
    case .tooLarge(let bytes, let limit): "an archive of \(bytes) bytes: the limit is \(limit)"
    case .truncated: "the archive is not as long as it says"
    case .tooDeep(let limit): "an archive or value that nests deeper than \(limit) levels"
    case .corrupt(let reason): "the archive is corrupt: \(reason)"
    }
  }
}
