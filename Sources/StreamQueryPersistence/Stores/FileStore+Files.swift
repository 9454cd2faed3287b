#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// The files of partitions.

extension FileStore {
  /// A partition that the store has opened.
  struct OpenPartition {
    var log: PartitionLog
    /// The open file; `nil` if the first batch is still to create it.
    var file: (any StoredFile)?
    var isReadOnly = false
  }

  /// Opens a partition, unless it is open.
  ///
  /// - Returns: The partition; and the content of its file if that was opened now.
  func open(
    _ partition: StorePartition
  ) throws(QueryStoreError) -> (state: OpenPartition, bytes: Data?, found: LogRecovery?) {
    if case .closed = phase { throw .closed }
    if isDisplaced { try takeAnew() }
    if let state = partitions[partition] {
      try? removeLeftOver(of: state)
      return (state, nil, nil)
    }
    try takeDirectory()
    let stem = LogFileName.stem(partition)
    let known = knownDamage[partition] ?? PartitionLog.KnownDamage()
    guard let generation = opened?.files.newest[stem] else {
      var state = OpenPartition(log: PartitionLog(partition, floor, waste: waste, known: known))
      _ = wipeIfNeeded(&state, partition)
      removeOthers(than: state)
      return (state, nil, nil)
    }
    let path = path(LogFileName(stem: stem, generation).text)
    let file: any StoredFile
    let isReadOnly: Bool
    do throws(QueryStoreError) {
      (file, isReadOnly) = try openFile(path)
    } catch {
      guard try system.identity(of: path) == nil else { throw error }
      // The file was removed before it could be opened, so the partition has none.
      opened?.files.removed(stem)
      return try open(partition)
    }
    let bytes = try file.read(0..<(try file.length()))
    let found = LogRecovery(bytes, LogFormat(partition, generation))
    guard found.origin != .otherVersion else { throw .otherVersion }
    var log = PartitionLog(partition, generation, waste: waste, known: known)
    log.opened(found, bytes: bytes.count)
    var state = OpenPartition(log: log, file: file, isReadOnly: isReadOnly)
    // Other files of the partition are removed. An earlier process may have left them, as an unfinished
    // replacement or as the file of an earlier generation, or a copy may have brought an old file back.
    removeOthers(than: state)
    let isWiped = wipeIfNeeded(&state, partition)
    return isWiped ? (state, nil, nil) : (state, bytes, found)
  }

  /// Performs a wipe that was requested while the partition's file could not be opened; returns whether a
  /// wipe was performed.
  private func wipeIfNeeded(_ state: inout OpenPartition, _ partition: StorePartition) -> Bool {
    knownDamage[partition] = nil
    if let least = begun.removeValue(forKey: partition), state.log.generation < least {
      unwiped.remove(partition)
      state.log.wiped(to: least)
      return true
    }
    guard unwiped.remove(partition) != nil else { return false }
    state.log.wiped()
    return true
  }

  /// Removes the files of a partition that are not its present file.
  ///
  /// - Returns: The first error; the files that failed stay.
  @discardableResult
  private func removeOthers(than state: OpenPartition) -> QueryStoreError? {
    let stem = state.log.stem
    guard let names = opened?.files.leftOver[stem] else { return nil }
    var rest: [String] = []
    var first: QueryStoreError?
    for name in names {
      do throws(QueryStoreError) {
        try system.remove(path(name))
      } catch {
        rest.append(name)
        first = first ?? error
      }
    }
    opened?.files.cleared(rest.isEmpty ? nil : rest, of: stem)
    return first
  }

  /// Tries again to remove left-over files, which have copies of records.
  func removeLeftOver(of state: OpenPartition) throws(QueryStoreError) {
    let stem = state.log.stem
    guard opened?.files.leftOver[stem] != nil else { return }
    if let error = removeOthers(than: state) { throw error }
    opened?.files.cleared([], of: stem)
    try system.syncDirectory(directory)
    opened?.files.cleared(nil, of: stem)
  }

  private func openFile(
    _ path: String
  ) throws(QueryStoreError) -> (file: any StoredFile, isReadOnly: Bool) {
    do throws(QueryStoreError) {
      return (try system.open(path, .writing), false)
    } catch {
      guard case .denied = error else { throw error }
      return (try system.open(path, .reading), true)
    }
  }

  /// Adds a batch to a partition's file, waits until the batch is on the disk, and checks that the path still
  /// leads to this file.
  func append(
    _ addition: PartitionLog.Addition,
    to state: inout OpenPartition
  ) throws(QueryStoreError) {
    let file = try prepare(&state)
    do throws(QueryStoreError) {
      try file.write(addition.bytes, at: state.log.length)
      try file.sync()
      try checkPlace(of: state)
    } catch {
      state.log.additionFailed()
      // The bytes of the failed write are cut off now, because they take up room. If that fails, they are cut
      // off before the next batch.
      _ = try? prepare(&state)
      throw error
    }
    state.log.added(addition)
  }

  /// Performs the steps on a partition's file that must precede the next batch.
  ///
  /// - Returns: The file.
  func prepare(_ state: inout OpenPartition) throws(QueryStoreError) -> any StoredFile {
    if state.isReadOnly, let name = state.log.fileName {
      state.file = try system.open(path(name.text), .writing)
      state.isReadOnly = false
    }
    let file = if let open = state.file { open } else { try createFile(of: &state) }
    while let step = state.log.step {
      switch step {
      case .rename(let generation):
        do throws(QueryStoreError) {
          try checkDirectory()
          let old = LogFileName(stem: state.log.stem, generation)
          try system.rename(path(old.text), to: path(state.log.name.text))
          opened?.files.named(state.log.name)
        } catch {
          // Without the new name the new generation does not begin on the disk, but the records can still be
          // erased.
          if (try? file.truncate(to: 0)) != nil { try? file.sync() }
          throw error
        }
      case .syncDirectory: try system.syncDirectory(directory)
      case .truncate(let length): try file.truncate(to: length)
      case .sync: try file.sync()
      }
      state.log.did(step)
    }
    return file
  }

  private func createFile(
    of state: inout OpenPartition
  ) throws(QueryStoreError) -> any StoredFile {
    // The directory is checked first: if it belonged to another store, the call could empty that store's
    // file.
    try checkDirectory()
    let file = try system.open(path(state.log.name.text), .creating)
    state.file = file
    state.log.created()
    opened?.files.named(state.log.name)
    return file
  }

  /// Completes a wipe that has begun; if that fails now, the records stay hidden.
  func eraseIfNeeded(_ state: inout OpenPartition) {
    if state.log.isErasing { _ = try? prepare(&state) }
  }

  /// Completes a wipe that has begun.
  ///
  /// - Returns: The error after which records may still be on the disk; `nil` if none are.
  func erase(_ state: inout OpenPartition) -> QueryStoreError? {
    do throws(QueryStoreError) {
      _ = try prepare(&state)
      try checkPlace(of: state)
      try removeLeftOver(of: state)
      return nil
    } catch {
      return error
    }
  }

  /// Replaces a partition's file with one that has only the present records; if that fails, no record is
  /// lost.
  func compact(_ state: inout OpenPartition) {
    guard let old = state.file else { return }
    do throws(QueryStoreError) {
      let bytes = try old.read(0..<state.log.length)
      let found = LogRecovery(bytes, state.log.format)
      let records = found.records(in: bytes)
      guard let image = LogImage.of(records, state.log.format) else { throw .full }
      let file = try replaceFile(state.log.name, by: image)
      state.file = file
      state.log.found(damage: found.damage)
      state.log.replaced(by: LogRecovery(Data(image), state.log.format))
    } catch {
      state.log.compactionFailed()
    }
  }

  /// Writes a new file under a temporary name, and then renames it, in place of a former file.
  func replaceFile(
    _ name: LogFileName,
    by image: [UInt8]
  ) throws(QueryStoreError) -> any StoredFile {
    do throws(QueryStoreError) {
      let file = try system.open(path(name.replacement), .creating)
      try file.write(image, at: 0)
      try file.sync()
      try system.rename(path(name.replacement), to: path(name.text))
      return file
    } catch {
      if (try? system.remove(path(name.replacement))) == nil {
        opened?.files.left(name.replacement, of: name.stem)
      }
      throw error
    }
  }

  func path(_ name: String) -> String { "\(directory)/\(name)" }
}
