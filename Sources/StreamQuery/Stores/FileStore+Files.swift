#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension FileStore {
  /// A partition that was used.
  struct OpenPartition {
    var log: PartitionLog
    /// There is none before the first batch.
    var file: (any StoredFile)?
    var isReadOnly = false
    /// Whether there may be a replacement that did not take its place, or a file of an earlier generation, that
    /// could not be removed.
    var hasLeftOver = false
  }

  /// Opens the partition's file, if it is not open.
  ///
  /// - Returns: The file, and what was read of it if it was opened now.
  func open(
    _ partition: StorePartition
  ) throws(QueryStoreError) -> (place: OpenPartition, bytes: Data?, found: LogRecovery?) {
    if isClosed { throw .closed }
    if var place = partitions[partition] {
      try? removeLeftOver(&place)
      return (place, nil, nil)
    }
    if lock == nil {
      try system.createDirectory(directory)
      lock = try system.lock("\(directory)/lock")
    }
    let stem = LogFileName.stem(partition)
    let names = try system.files(in: directory)
    let generations = names.compactMap(LogFileName.init).filter { $0.stem == stem }
      .map(\.generation).sorted()
    let isWiped = unwiped.contains(partition)
    guard let generation = generations.last else {
      unwiped.remove(partition)
      var log = PartitionLog(partition, waste: waste)
      if isWiped { log.wiped() }
      var place = OpenPartition(log: log)
      place.hasLeftOver = (try? removeOthers(than: nil, of: partition, among: names)) == nil
      return (place, nil, nil)
    }
    let name = LogFileName(partition, generation)
    let (file, isReadOnly) = try openFile(path(name.text))
    let bytes = try file.read(0..<(try file.length()))
    let found = LogRecovery(bytes, LogFormat(partition, generation))
    guard found.origin != .laterVersion else { throw .laterVersion }
    // What a process that ended has left: half of a replacement, also of an earlier generation, or what
    // a copy has brought back.
    let hasLeftOver = (try? removeOthers(than: name, of: partition, among: names)) == nil
    var log = PartitionLog(
      partition,
      opened: generation,
      found,
      bytes: bytes.count,
      waste: waste
    )
    unwiped.remove(partition)
    if isWiped { log.wiped() }
    var place = OpenPartition(log: log, file: file, isReadOnly: isReadOnly)
    place.hasLeftOver = hasLeftOver
    return isWiped ? (place, nil, nil) : (place, bytes, found)
  }

  /// Removes all files of a partition but the present one: those of earlier generations, and replacements that did
  /// not take the place of a file.
  ///
  /// - Throws: Why one of them is still there; the others are gone.
  private func removeOthers(
    than name: LogFileName?,
    of partition: StorePartition,
    among names: [String]
  ) throws(QueryStoreError) {
    let stem = LogFileName.stem(partition)
    var first: QueryStoreError?
    for text in names.sorted() where text != name?.text {
      guard (LogFileName(text) ?? LogFileName.replaced(by: text))?.stem == stem else { continue }
      do throws(QueryStoreError) { try system.remove(path(text)) } catch { first = first ?? error }
    }
    if let first { throw first }
  }

  /// Removes what could not be removed before: copies of records.
  func removeLeftOver(_ place: inout OpenPartition) throws(QueryStoreError) {
    guard place.hasLeftOver else { return }
    let names = try system.files(in: directory)
    try removeOthers(than: place.log.name, of: place.log.partition, among: names)
    try system.syncDirectory(directory)
    place.hasLeftOver = false
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

  /// Does what has to be done before a batch is added.
  func prepare(_ place: inout OpenPartition) throws(QueryStoreError) {
    if place.isReadOnly, let name = place.log.fileName {
      place.file = try system.open(path(name.text), .writing)
      place.isReadOnly = false
    }
    while let step = place.log.step {
      switch step {
      case .create: place.file = try system.open(path(place.log.name.text), .creating)
      case .rename(let generation):
        do throws(QueryStoreError) {
          let old = LogFileName(place.log.partition, generation)
          try system.rename(path(old.text), to: path(place.log.name.text))
        } catch {
          // Without the new name there is no new generation, but perhaps the records can go.
          if let file = place.file, (try? file.truncate(to: 0)) != nil { try? file.sync() }
          throw error
        }
      case .syncDirectory: try system.syncDirectory(directory)
      case .truncate(let length): try place.file?.truncate(to: length)
      case .sync: try place.file?.sync()
      }
      place.log.did(step)
    }
  }

  /// Ends a wipe that was begun; if it cannot be done now, the records stay hidden.
  func eraseIfNeeded(_ place: inout OpenPartition) {
    if place.log.isErasing { try? prepare(&place) }
  }

  /// Replaces the file by one with only what is needed; if that fails, nothing was lost.
  func compact(_ place: inout OpenPartition) {
    let name = place.log.name
    do throws(QueryStoreError) {
      let bytes = try place.file?.read(0..<place.log.length) ?? Data()
      let found = LogRecovery(bytes, place.log.format)
      guard let image = LogImage.of(found.records(in: bytes), place.log.format) else { throw .full }
      let file = try system.open(path(name.replacement), .creating)
      try file.write(image, at: 0)
      try file.sync()
      try system.rename(path(name.replacement), to: path(name.text))
      place.file = file
      place.log.found(damage: found.damage)
      place.log.replaced(by: LogRecovery(Data(image), place.log.format))
    } catch {
      place.log.compactionFailed()
      if (try? system.remove(path(name.replacement))) == nil { place.hasLeftOver = true }
    }
  }

  private func path(_ name: String) -> String { "\(directory)/\(name)" }
}
