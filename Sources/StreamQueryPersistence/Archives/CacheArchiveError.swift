/// The reason why bytes cannot be used as an archive.
///
/// A call that throws this error has not changed the cache.
public enum CacheArchiveError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes do not begin like an archive.
  case notAnArchive
  /// The bytes have a version that this library does not know.
  case unsupportedVersion(Int)
  /// There are more bytes than the caller allows.
  case tooLarge(bytes: Int, limit: Int)
  /// The number of bytes is not the one that the archive states.
  case truncated
  /// The content is nested deeper than the limit, which is a number of levels: 16 for an archive, and 128 for
  /// a value.
  case tooDeep(limit: Int)
  /// The bytes were changed, or do not have the stated form; the text describes how.
  case corrupt(String)

  /// A sentence that describes the error.
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
