/// The purpose for which a file is opened.
enum FileMode {
  case reading
  case writing
  /// Writing to an empty file.
  case creating
}
