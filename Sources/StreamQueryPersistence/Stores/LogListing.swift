/// The names of the files in a store's directory.
///
/// They are read once: as long as the store has the lock, nobody else changes them.
struct LogListing {
  /// The newest generation of each partition that has a file, by the stem of its names.
  private(set) var newest: [String: StoreGeneration] = [:]
  /// The names of files that should not be there, by their stem: of earlier generations, which a copy has brought
  /// back, and of replacements that did not take the place of a file.
  ///
  /// An empty entry says that they were removed, but perhaps not yet on the disk.
  private(set) var leftOver: [String: [String]] = [:]
  /// The generation of partitions that have no file: none that had one was in a later generation.
  private(set) var floor: StoreGeneration?

  /// Sorts what is in a directory; files of others are ignored.
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

  /// A file was created, or has another name now.
  mutating func named(_ name: LogFileName) { newest[name.stem] = name.generation }

  /// The newest file of a partition is gone.
  mutating func removed(_ stem: String) { newest[stem] = nil }

  /// A file is there that should not be.
  mutating func left(_ text: String, of stem: String) { leftOver[stem, default: []].append(text) }

  /// Of what should not be there, these could not be removed.
  ///
  /// - Parameters:
  ///   - rest: The names; none if all is gone, and `nil` if that is on the disk.
  ///   - stem: The stem of their names.
  mutating func cleared(_ rest: [String]?, of stem: String) { leftOver[stem] = rest }

  /// Partitions without a file are of this generation from now on.
  mutating func raised(to floor: StoreGeneration) { self.floor = floor }
}
