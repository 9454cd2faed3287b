/// The reason for which a record cannot be read.
public enum QueryRecordError: Error, Hashable {
  /// The data is no record, is cut off or damaged, or nests too deeply.
  case malformed(String)
  /// The record was written by a newer version of the library.
  case unsupportedVersion(Int)
}
