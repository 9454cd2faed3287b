/// The purpose for which a file is opened.
enum FileMode {
  case reading
  case writing
  /// The file is created, or emptied, and then written.
  case creating
}
