/// What a file is opened for.
enum FileMode {
  case reading
  case writing
  /// Writing, with nothing in it.
  case creating
}
