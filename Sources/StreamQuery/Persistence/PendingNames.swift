/// The keys that the archives of an import say are still to come: a value that is told of each.
///
/// It knows what an archive changes, so that the cache, whose lock all share, looks at nothing else.
struct PendingNames {
  private var names: [String] = []

  /// An archive names keys.
  ///
  /// - Parameter texts: All that are still to come.
  /// - Returns: Those that the archive before did not name, and those that only it named, in the order
  ///   of the archives.
  mutating func named(_ texts: [String]) -> (added: [String], left: [String]) {
    let (former, present) = (Set(names), Set(texts))
    defer { names = texts }
    return (texts.filter { !former.contains($0) }, names.filter { !present.contains($0) })
  }
}
