extension String.UTF8View {
  /// The index some bytes after an index; `nil` if there are fewer, for any number.
  ///
  /// `index(_:offsetBy:limitedBy:)` adds before it checks its limit, and traps if that overflows.
  func index(_ place: Index, after count: Int) -> Index? {
    guard count >= 0, count <= distance(from: place, to: endIndex) else { return nil }
    return index(place, offsetBy: count)
  }
}
