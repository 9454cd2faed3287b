extension String.UTF8View {
  /// The index `count` bytes after an index; `nil` if there are fewer bytes, or if `count` is negative.
  ///
  /// `index(_:offsetBy:limitedBy:)` adds before it checks the limit, and traps if the sum overflows.
  func index(_ place: Index, after count: Int) -> Index? {
    guard count >= 0, count <= distance(from: place, to: endIndex) else { return nil }
    return index(place, offsetBy: count)
  }
}
