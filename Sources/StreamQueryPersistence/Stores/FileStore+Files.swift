#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// The files of partitions.

extension FileStore {
  /// A partition in use.
  struct OpenPartition {
    var log: PartitionLog
    /// The file; there is none before the first batch.
    var file: (any StoredFile)?
    var isReadOnly = false
  }

  /// Opens the partition's file, if it is not open.
  ///
  /// - Returns: The file, and its content if it was opened now.
  func open(
    _ partition: StorePartition
  ) throws(QueryStoreError) -> (place: OpenPartition, bytes: Data?, found: LogRecovery?) {
    if case .closed = phase { throw .closed }
    if isDisplaced { try takeAnew() }
    if let place = partitions[partition] {
      try? removeLeftOver(of: place)
      return (place, nil, nil)
    }
    try takeDirectory()
    let stem = LogFileName.stem(partition)
    let known = knownDamage[partition] ?? PartitionLog.KnownDamage()
    guard let generation = opened?.files.newest[stem] else {
      var place = OpenPartition(log: PartitionLog(partition, floor, waste: waste, known: known))
      _ = wipeIfNeeded(&place, partition)
      removeOthers(than: place)
      return (place, nil, nil)
    }
    let path = path(LogFileName(stem: stem, generation).text)
    let file: any StoredFile
    let isReadOnly: Bool
    do throws(QueryStoreError) {
      (file, isReadOnly) = try openFile(path)
    } catch {
      guard try system.identity(of: path) == nil else { throw error }
      // The file was removed while it was not open.
      opened?.files.removed(stem)
      return try open(partition)
    }
    let bytes = try file.read(0..<(try file.length()))
    let found = LogRecovery(bytes, LogFormat(partition, generation))
    guard found.origin != .otherVersion else { throw .otherVersion }
    var log = PartitionLog(partition, generation, waste: waste, known: known)
    log.opened(found, bytes: bytes.count)
    var place = OpenPartition(log: log, file: file, isReadOnly: isReadOnly)
    // The remains of a process that ended: half of a replacement, also of an earlier generation, or a file
    // that a copy has brought back.
    removeOthers(than: place)
    let isWiped = wipeIfNeeded(&place, partition)
    return isWiped ? (place, nil, nil) : (place, bytes, found)
  }

  /// Wipes a partition that could now be opened, if that was requested before.
  private func wipeIfNeeded(_ place: inout OpenPartition, _ partition: StorePartition) -> Bool {
    knownDamage[partition] = nil
    if let least = begun.removeValue(forKey: partition), place.log.generation < least {
      unwiped.remove(partition)
      place.log.wiped(to: least)
      return true
    }
    guard unwiped.remove(partition) != nil else { return false }
    place.log.wiped()
    return true
  }

  /// Removes the files of a partition that should not be there.
  ///
  /// - Returns: The reason why a file is still there; the others are gone.
  @discardableResult
  private func removeOthers(than place: OpenPartition) -> QueryStoreError? {
    let stem = place.log.stem
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

  /// Removes the files with copies of records that could not be removed before.
  func removeLeftOver(of place: OpenPartition) throws(QueryStoreError) {
    let stem = place.log.stem
    guard opened?.files.leftOver[stem] != nil else { return }
    if let error = removeOthers(than: place) { throw error }
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

  /// Adds to the file, and waits until that is on the disk under the file's path.
  func add(
    _ addition: PartitionLog.Addition,
    to place: inout OpenPartition
  ) throws(QueryStoreError) {
    let file = try prepare(&place)
    do throws(QueryStoreError) {
      try file.write(addition.bytes, at: place.log.length)
      try file.sync()
      try checkPlace(of: place)
    } catch {
      place.log.additionFailed()
      // A failed write is cut off now, because it takes up room; if that fails, it is done before
      // the next batch.
      _ = try? prepare(&place)
      throw error
    }
    place.log.added(addition)
  }

  /// Performs the steps that are necessary before a batch is added.
  ///
  /// - Returns: The file.
  func prepare(_ place: inout OpenPartition) throws(QueryStoreError) -> any StoredFile {
    if place.isReadOnly, let name = place.log.fileName {
      place.file = try system.open(path(name.text), .writing)
      place.isReadOnly = false
    }
    let file = if let open = place.file { open } else { try createFile(of: &place) }
    while let step = place.log.step {
      switch step {
      case .rename(let generation):
        do throws(QueryStoreError) {
          try checkDirectory()
          let old = LogFileName(stem: place.log.stem, generation)
          try system.rename(path(old.text), to: path(place.log.name.text))
          opened?.files.named(place.log.name)
        } catch {
          // Without the new name there is no new generation, but the records may be erased.
          if (try? file.truncate(to: 0)) != nil { try? file.sync() }
          throw error
        }
      case .syncDirectory: try system.syncDirectory(directory)
      case .truncate(let length): try file.truncate(to: length)
      case .sync: try file.sync()
      }
      place.log.did(step)
    }
    return file
  }

  private func createFile(
    of place: inout OpenPartition
  ) throws(QueryStoreError) -> any StoredFile {
    // In a directory that another store has, this would empty a file of that store.
    try checkDirectory()
    let file = try system.open(path(place.log.name.text), .creating)
    place.file = file
    place.log.created()
    opened?.files.named(place.log.name)
    return file
  }

  /// Completes a wipe that was begun; if that fails now, the records stay hidden.
  func eraseIfNeeded(_ place: inout OpenPartition) {
    if place.log.isErasing { _ = try? prepare(&place) }
  }

  /// Completes a wipe that was begun.
  ///
  /// - Returns: The reason why records may still be on the disk.
  func erase(_ place: inout OpenPartition) -> QueryStoreError? {
    do throws(QueryStoreError) {
      _ = try prepare(&place)
      try checkPlace(of: place)
      try removeLeftOver(of: place)
      return nil
    } catch {
      return error
    }
  }

  /// Replaces the file with one that has only the present records; if that fails, no record is
  /// lost.
  func compact(_ place: inout OpenPartition) {
    guard let old = place.file else { return }
    do throws(QueryStoreError) {
      let bytes = try old.read(0..<place.log.length)
      let found = LogRecovery(bytes, place.log.format)
      let records = found.records(in: bytes)
      guard let image = LogImage.of(records, place.log.format) else { throw .full }
      let file = try replaceFile(place.log.name, by: image)
      place.file = file
      place.log.found(damage: found.damage)
      place.log.replaced(by: LogRecovery(Data(image), place.log.format))
    } catch {
      place.log.compactionFailed()
    }
  }

  /// Puts a file in the place of another, or in a free one.
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
