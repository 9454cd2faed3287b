/// The names of the files in a store's directory.
///
/// The directory is listed once, because only this store changes it while it has the lock.
struct LogListing {
  /// The newest generation of each partition with a file, by the stem of the file's name.
  private(set) var newest: [String: StoreGeneration] = [:]
  /// The names of files that are to be removed, by their stem: files of earlier generations that a copy has
  /// brought back, and unfinished replacements.
  ///
  /// An empty list means that they were removed, but perhaps not yet durably.
  private(set) var leftOver: [String: [String]] = [:]
  /// The generation of all partitions without a file; none of them has had a file of a later generation.
  private(set) var floor: StoreGeneration?

  /// Sorts the names of the files in a directory, and ignores names of other files.
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

  /// Notes that a file was created or renamed.
  mutating func named(_ name: LogFileName) { newest[name.stem] = name.generation }

  /// Notes that the newest file of a partition was removed.
  mutating func removed(_ stem: String) { newest[stem] = nil }

  /// Notes a file that is to be removed.
  mutating func left(_ text: String, of stem: String) { leftOver[stem, default: []].append(text) }

  /// Notes the remaining files, after an attempt to remove the left-over files of a partition.
  ///
  /// - Parameters:
  ///   - rest: The names of the remaining files. An empty list means that all were removed, and `nil` that
  ///     this is durable.
  ///   - stem: The stem of their names.
  mutating func cleared(_ rest: [String]?, of stem: String) { leftOver[stem] = rest }

  /// Notes that the generation of partitions without a file was raised.
  mutating func raised(to floor: StoreGeneration) { self.floor = floor }
}
