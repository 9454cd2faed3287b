/// The keys that an archive of an import announces for later archives; the import passes each archive's keys
/// to this value.
///
/// This value finds the differences between two archives, so that the cache examines only these under its
/// lock.
struct PendingNames {
  /// The announced keys as text, each once.
  private var names: [String] = []

  /// Compares the keys that an archive announces with those of the previous archive.
  ///
  /// - Parameters:
  ///   - texts: All keys that this archive announces.
  ///   - brought: The keys with data in this archive; they are not added. Their data is refused if the key
  ///     changed after the import began. If an earlier archive announced the key, only changes after that
  ///     archive count.
  /// - Returns: `added`, the newly announced keys without those in `brought`; `left`, the keys that are no
  ///   longer announced. Both are in the order of the archives.
  mutating func named(
    _ texts: [String],
    bringing brought: [String] = []
  ) -> (added: [String], left: [String]) {
    // Most archives announce the keys of the previous archive in the same order, except for some. This loop
    // then finds the missing keys without hashing any.
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
