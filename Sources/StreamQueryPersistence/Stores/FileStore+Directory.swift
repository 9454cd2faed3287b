#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// Checking whether the directory is still the one that the store has locked, and recovering if it is not.

extension FileStore {
  /// Locks the directory, unless this store has locked it already.
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

  // MARK: Whether the directory is still there

  private func isLocked(by opened: OpenDirectory) throws(QueryStoreError) -> Bool {
    try system.identity(of: path("lock")) == opened.lock.identity
  }

  /// Throws ``QueryStoreError/filesReplaced`` if the directory is not the one that this store has locked.
  func checkDirectory() throws(QueryStoreError) {
    guard let opened, try isLocked(by: opened) else { throw .filesReplaced }
  }

  /// Throws ``QueryStoreError/filesReplaced`` if the path of the directory or of a partition's file leads to
  /// another file.
  func checkPlace(of state: OpenPartition) throws(QueryStoreError) {
    try checkDirectory()
    guard let file = state.file, let name = state.log.fileName else { return }
    guard try system.identity(of: path(name.text)) == file.identity else { throw .filesReplaced }
  }

  /// Returns whether the path of a partition's file certainly leads to no file, or to another one.
  func isGone(_ state: OpenPartition) -> Bool {
    do throws(QueryStoreError) {
      try checkPlace(of: state)
      return false
    } catch {
      if case .filesReplaced = error { return true }
      return false
    }
  }

  // MARK: Taking the directory anew

  /// Restores the directory and the files that were removed or replaced.
  ///
  /// - Returns: The error for the call that noticed the loss.
  func createAnew() -> QueryStoreError {
    do throws(QueryStoreError) {
      try takeAnew()
      return .filesReplaced
    } catch {
      return error
    }
  }

  /// Locks the directory again, and creates the missing files of open partitions in their places.
  ///
  /// An open file can be read even if its name is gone, so no record is lost. If a step fails now, the next
  /// call repeats it.
  func takeAnew() throws(QueryStoreError) {
    isDisplaced = true
    if let opened, try isLocked(by: opened) {
      self.opened?.files = LogListing(try system.files(in: directory))
    } else {
      opened = nil
      opened = try openDirectory()
    }
    for partition in partitions.keys.sorted(by: { $0.name < $1.name }) {
      guard let state = partitions[partition] else { continue }
      partitions[partition] = try inPlace(state, partition)
    }
    // The floor (for partitions without a file) is written again, so that late saves of ended accounts stay
    // refused. If the write fails now, it is done when the next file is removed.
    if floor > .first { try? raiseFloor(to: floor) }
    isDisplaced = false
  }

  /// Creates the file of a partition again if the file is not in its place, with all records that this store
  /// has acknowledged.
  ///
  /// - Returns: The partition; `nil` if it has to be opened again, because there is a newer file.
  private func inPlace(
    _ state: OpenPartition,
    _ partition: StorePartition
  ) throws(QueryStoreError) -> OpenPartition? {
    var state = state
    let newest = opened?.files.newest[state.log.stem]
    guard let old = state.file else {
      if newest == nil { return state }
      // The partition has no records here. Its generation is in no file name, so the store remembers it.
      begun[partition] = state.log.generation
      return nil
    }
    if !isGone(state) { return state }
    if state.isReadOnly { return nil }
    let generation = state.log.generation
    if let newest, newest > generation {
      // Another user of the directory has wiped the partition meanwhile.
      if state.log.isErasing { unwiped.insert(partition) }
      try? old.truncate(to: 0)
      return nil
    }
    var records: [StoreRecord] = []
    if newest == generation {
      let file = try system.open(path(state.log.name.text), .reading)
      let bytes = try file.read(0..<(try file.length()))
      let found = LogRecovery(bytes, state.log.format)
      guard found.origin != .otherVersion else { throw .otherVersion }
      records = found.records(in: bytes)
    }
    if state.log.isErasing {
      if (try? old.truncate(to: 0)) != nil { try? old.sync() }
    } else {
      let bytes = try old.read(0..<state.log.length)
      let found = LogRecovery(bytes, state.log.format)
      state.log.found(damage: found.damage)
      let own = found.records(in: bytes)
      let keys = Set(own.map(\.key))
      records.removeAll { keys.contains($0.key) }
      records += own
    }
    guard let image = LogImage.of(records, state.log.format) else { throw .full }
    state.file = try replaceFile(state.log.name, by: image)
    if let newest, newest < generation {
      let older = LogFileName(stem: state.log.stem, newest)
      opened?.files.left(older.text, of: state.log.stem)
    }
    opened?.files.named(state.log.name)
    state.log.replaced(by: LogRecovery(Data(image), state.log.format))
    _ = try prepare(&state)
    try? removeLeftOver(of: state)
    return state
  }

  // MARK: Partitions without a file

  /// Removes the file of a partition that has no records.
  ///
  /// The file's generation must not be used again: otherwise a late save of an ended account would be
  /// accepted. So the floor, the generation of all partitions without a file, is raised to it. The name of
  /// one file has the floor.
  func removeFile(of state: OpenPartition) throws(QueryStoreError) {
    guard state.file != nil else { return }
    try checkPlace(of: state)
    try raiseFloor(to: max(floor, state.log.generation))
    try system.remove(path(state.log.name.text))
    opened?.files.removed(state.log.stem)
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
    // The directory is synchronized even if the file has this name already, because an earlier process may
    // have renamed the file and ended before this step.
    try system.syncDirectory(directory)
  }
}
