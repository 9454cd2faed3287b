#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// The directory: whether it is still this store's, and its recovery if it is not.

extension FileStore {
  /// Locks the directory, if this store has not done so.
  func takeDirectory() throws(QueryStoreError) {
    guard let opened else {
      self.opened = try openDirectory()
      return
    }
    if try !isLocked(by: opened) { try takeAnew() }
  }

  private func openDirectory() throws(QueryStoreError) -> OpenDirectory {
    try system.createDirectory(directory)
    let lock = try system.lock(path("lock"))
    let files = LogListing(try system.files(in: directory))
    floor = max(floor, files.floor ?? .first)
    return OpenDirectory(lock: lock, files: files)
  }

  // MARK: Whether it is still there

  private func isLocked(by opened: OpenDirectory) throws(QueryStoreError) -> Bool {
    try system.identity(of: path("lock")) == opened.lock.identity
  }

  /// Throws if the directory is not the one that this store has locked.
  func checkDirectory() throws(QueryStoreError) {
    guard let opened, try isLocked(by: opened) else { throw .filesReplaced }
  }

  /// Throws if the path of the directory or of a partition's file leads to another file.
  func checkPlace(of place: OpenPartition) throws(QueryStoreError) {
    try checkDirectory()
    guard let file = place.file, let name = place.log.fileName else { return }
    guard try system.identity(of: path(name.text)) == file.identity else { throw .filesReplaced }
  }

  /// Whether the path is known to lead to another file.
  func isGone(_ place: OpenPartition) -> Bool {
    do throws(QueryStoreError) {
      try checkPlace(of: place)
      return false
    } catch {
      if case .filesReplaced = error { return true }
      return false
    }
  }

  // MARK: Taking it anew

  /// Creates the directory and the files that were removed or replaced.
  ///
  /// - Returns: The error for the call that noticed it.
  func createAnew() -> QueryStoreError {
    do throws(QueryStoreError) {
      try takeAnew()
      return .filesReplaced
    } catch {
      return error
    }
  }

  /// Takes the directory again, and creates the files of open partitions that are not in their places.
  ///
  /// An open file can be read without a name, so no record is lost. If a step fails now, the next call
  /// repeats it.
  func takeAnew() throws(QueryStoreError) {
    isDisplaced = true
    if let opened, try isLocked(by: opened) {
      self.opened?.files = LogListing(try system.files(in: directory))
    } else {
      opened = nil
      opened = try openDirectory()
    }
    for partition in partitions.keys.sorted(by: { $0.name < $1.name }) {
      guard let place = partitions[partition] else { continue }
      partitions[partition] = try inPlace(place, partition)
    }
    // Ended accounts stay ended. If this cannot be written now, the next file that goes writes it.
    if floor > .first { try? raiseFloor(to: floor) }
    isDisplaced = false
  }

  /// Puts the file of a partition in its place, with the records that this store has acknowledged.
  ///
  /// - Returns: The partition; `nil` if it is to be opened again, because there is a newer file.
  private func inPlace(
    _ place: OpenPartition,
    _ partition: StorePartition
  ) throws(QueryStoreError) -> OpenPartition? {
    var place = place
    let newest = opened?.files.newest[place.log.stem]
    guard let old = place.file else {
      if newest == nil { return place }
      // Only the generation could be lost.
      begun[partition] = place.log.generation
      return nil
    }
    if !isGone(place) { return place }
    if place.isReadOnly { return nil }
    let generation = place.log.generation
    if let newest, newest > generation {
      // Another user of the directory has wiped the partition since.
      if place.log.isErasing { unwiped.insert(partition) }
      try? old.truncate(to: 0)
      return nil
    }
    var records: [StoreRecord] = []
    if newest == generation {
      let file = try system.open(path(place.log.name.text), .reading)
      let bytes = try file.read(0..<(try file.length()))
      let found = LogRecovery(bytes, place.log.format)
      guard found.origin != .otherVersion else { throw .otherVersion }
      records = found.records(in: bytes)
    }
    if place.log.isErasing {
      if (try? old.truncate(to: 0)) != nil { try? old.sync() }
    } else {
      let bytes = try old.read(0..<place.log.length)
      let found = LogRecovery(bytes, place.log.format)
      place.log.found(damage: found.damage)
      let own = found.records(in: bytes)
      let keys = Set(own.map(\.key))
      records.removeAll { keys.contains($0.key) }
      records += own
    }
    guard let image = LogImage.of(records, place.log.format) else { throw .full }
    place.file = try replaceFile(place.log.name, by: image)
    if let newest, newest < generation {
      let older = LogFileName(stem: place.log.stem, newest)
      opened?.files.left(older.text, of: place.log.stem)
    }
    opened?.files.named(place.log.name)
    place.log.replaced(by: LogRecovery(Data(image), place.log.format))
    _ = try prepare(&place)
    try? removeLeftOver(of: place)
    return place
  }

  // MARK: Partitions without a file

  /// Removes the file of a partition without records.
  ///
  /// Its generation must not be used again, or a late save of an ended account would be accepted. It is kept
  /// in the name of one file for all partitions without a file.
  func removeFile(of place: OpenPartition) throws(QueryStoreError) {
    guard place.file != nil else { return }
    try checkPlace(of: place)
    try raiseFloor(to: max(floor, place.log.generation))
    try system.remove(path(place.log.name.text))
    opened?.files.removed(place.log.stem)
  }

  private func raiseFloor(to generation: StoreGeneration) throws(QueryStoreError) {
    let name = LogFileName(stem: LogFileName.floorStem, generation)
    switch opened?.files.floor {
    case generation: break
    case let former? where former < generation:
      let old = LogFileName(stem: LogFileName.floorStem, former)
      try system.rename(path(old.text), to: path(name.text))
    case .some: return
    case nil:
      if generation == .first { return }
      _ = try system.open(path(name.text), .creating)
    }
    opened?.files.raised(to: generation)
    floor = generation
    // Also if the file has this name already: an earlier process may have given it and ended before this
    // step.
    try system.syncDirectory(directory)
  }
}
