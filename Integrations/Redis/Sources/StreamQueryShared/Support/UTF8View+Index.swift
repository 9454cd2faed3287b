extension String.UTF8View {
  /// The place some bytes after a place; `nil` if there are not so many, whatever the number is.
  ///
  /// `index(_:offsetBy:limitedBy:)` adds before it looks at its limit, and traps where that overflows.
  func index(_ place: Index, after count: Int) -> Index? {
    guard count >= 0, count <= distance(from: place, to: endIndex) else { return nil }
    return index(place, offsetBy: count)
  }
}
