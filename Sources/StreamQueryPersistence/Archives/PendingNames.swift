/// The keys that the archives of an import announce; the import tells this value of each archive.
///
/// It finds the changes that an archive makes, so that the cache examines only these under its lock.
struct PendingNames {
  /// The names, each once.
  private var names: [String] = []

  /// An archive announces keys.
  ///
  /// - Parameters:
  ///   - texts: All announced keys.
  ///   - brought: The keys that it brings; announcing such a key, too, says nothing about when it
  ///     was read.
  /// - Returns: The keys that the archive before did not name, and the keys that only that one named, in the
  ///   order of the archives.
  mutating func named(
    _ texts: [String],
    bringing brought: [String] = []
  ) -> (added: [String], left: [String]) {
    // Most archives announce the same keys in the same order, without some. This loop then finds
    // the missing ones without hashing a key.
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
