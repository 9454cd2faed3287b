/// The reason for opening a file.
enum FileMode {
  case reading
  case writing
  /// The file is created, or emptied if it exists, to be written.
  case creating
}
