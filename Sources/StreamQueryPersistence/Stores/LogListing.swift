/// The names of the files in a store's directory.
///
/// They are read once, because only this store changes them while it has the lock.
struct LogListing {
  /// The newest generation of each partition that has a file, by the stem of its name.
  private(set) var newest: [String: StoreGeneration] = [:]
  /// The names of files that should not be there, by their stem: files of earlier generations that a copy has
  /// brought back, and unfinished replacements.
  ///
  /// An empty list says that they were removed, but perhaps not yet on the disk.
  private(set) var leftOver: [String: [String]] = [:]
  /// The generation of partitions without a file; no file of theirs was in a later generation.
  private(set) var floor: StoreGeneration?

  /// Sorts the names in a directory; other names are ignored.
  init(_ names: [String]) {
    for text in names.sorted() {
      if let name = LogFileName(text) {
        found(name)
      } else if let name = LogFileName.replaced(by: text) {
        left(text, of: name.stem)
      }
    }
  }

  private mutating func found(_ name: LogFileName) {
    if name.stem == LogFileName.floorStem {
      floor = max(floor ?? .first, name.generation)
    } else if let other = newest[name.stem] {
      let older = min(other, name.generation)
      left(LogFileName(stem: name.stem, older).text, of: name.stem)
      newest[name.stem] = max(other, name.generation)
    } else {
      newest[name.stem] = name.generation
    }
  }

  /// A file was created or renamed.
  mutating func named(_ name: LogFileName) { newest[name.stem] = name.generation }

  /// The newest file of a partition is gone.
  mutating func removed(_ stem: String) { newest[stem] = nil }

  /// A file exists that should not be there.
  mutating func left(_ text: String, of stem: String) { leftOver[stem, default: []].append(text) }

  /// The files that should not be there were removed, except for some.
  ///
  /// - Parameters:
  ///   - rest: The remaining names; none if all are gone, and `nil` if that is on the disk.
  ///   - stem: The stem of their names.
  mutating func cleared(_ rest: [String]?, of stem: String) { leftOver[stem] = rest }

  /// The generation of partitions without a file was raised.
  mutating func raised(to floor: StoreGeneration) { self.floor = floor }
}
