/// The keys that the archives of an import say are still to come: a value that is told of each.
///
/// It knows what an archive changes, so that the cache, whose lock all share, looks at nothing else.
struct PendingNames {
  /// Each once.
  private var names: [String] = []

  /// An archive names keys.
  ///
  /// - Parameters:
  ///   - texts: All that are still to come.
  ///   - brought: What it has itself: that it names this too says nothing about when that was read.
  /// - Returns: Those that the archive before did not name, and those that only it named, in the order
  ///   of the archives.
  mutating func named(
    _ texts: [String],
    bringing brought: [String] = []
  ) -> (added: [String], left: [String]) {
    // Most often some are gone and the others are as before: nothing need be hashed.
    var left: [String] = []
    var rest = texts[...]
    for name in names {
      if name == rest.first { rest.removeFirst() } else { left.append(name) }
    }
    guard !rest.isEmpty else {
      names = texts
      return ([], left)
    }
    let (former, own) = (Set(names), Set(brought))
    var present: Set<String> = []
    let unique = texts.filter { present.insert($0).inserted }
    left = names.filter { !present.contains($0) }
    let added = unique.filter { !former.contains($0) && !own.contains($0) }
    names = unique.filter { former.contains($0) || !own.contains($0) }
    return (added, left)
  }
}
