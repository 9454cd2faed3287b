#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A store in a directory of its own.
///
/// ```swift
/// let store = FileStore(directory: .cachesDirectory.appending(path: "StreamQuery"))
/// ```
///
/// Each partition has one file, to which batches are added; when more than half of it is not needed any
/// more, it is rewritten. A batch is on the disk when ``write(_:to:)`` returns, and survives the end of the
/// process, of the system and of the power at any moment. Damaged bytes cost the batches that they
/// belong to, and are reported in ``StoreContents/damage``.
///
/// **One at a time.** While a store uses a directory, every other one, of this process or another, throws
/// ``QueryStoreError/inUse``. It begins with the first call and ends with ``close()``, or with
/// the last reference.
///
/// **Full or read-only disks** throw ``QueryStoreError/full`` and ``QueryStoreError/denied``, and what was
/// acknowledged can still be read. A wipe needs no room.
///
/// **Memory and time.** The store keeps the keys of the partitions that were used, and one open file
/// for each; ``release(_:)`` gives both back. A partition is read at once, and its values are slices of
/// that. The calls block their thread while the disk works: they run on the caller's preferred task
/// executor, if it has one.
public actor FileStore: QueryStore {
  /// When files can be read, on the platforms that encrypt each with a key of its own.
  ///
  /// Elsewhere it means nothing, nor on a disk that does not encrypt its files. A file gets its class when it is
  /// created: another choice holds for files that exist when they are next rewritten.
  public struct Protection: Hashable, Sendable {
    /// Only while the device is unlocked.
    ///
    /// Fetches in the background can then not be saved while it is locked.
    public static let complete = Self(number: 1)
    /// While the device is unlocked, and for as long as the store has the file open.
    public static let completeUnlessOpen = Self(number: 2)
    /// Once the device has been unlocked since it was started; the default.
    public static let untilFirstUnlock = Self(number: 3)
    /// Always.
    public static let none = Self(number: 4)
    /// As the directory says.
    public static let inherited = Self(number: nil)

    /// The number of the class in the system's headers.
    let number: Int32?
  }

  let directory: String
  let system: any FileSystem
  let waste: Int
  var lock: (any FileLock)?
  var partitions: [StorePartition: OpenPartition] = [:]
  /// Partitions that were to be wiped when their files could not be opened.
  var unwiped: Set<StorePartition> = []
  var isClosed = false

  #if !os(Windows) && !os(WASI)
  /// Creates a store, and touches nothing before it is first used.
  ///
  /// - Parameters:
  ///   - directory: The directory, which is created if need be. Nothing else should be in it.
  ///   - protection: When its files can be read, on platforms that encrypt each by itself.
  public init(directory: URL, protection: Protection = .untilFirstUnlock) {
    self.init(
      directory: directory.path(percentEncoded: false),
      system: PosixFileSystem(protection: protection)
    )
  }
  #endif

  /// A file is rewritten when this many of its bytes, and half of them, are not needed any more.
  init(directory: String, system: any FileSystem, waste: Int = 64 * 1024) {
    self.directory =
      directory.count > 1 && directory.hasSuffix("/")
      ? String(directory.dropLast()) : directory
    self.system = system
    self.waste = waste
  }

  /// Gives the directory up, for another store or another process.
  ///
  /// All further calls throw ``QueryStoreError/closed``.
  public func close() {
    isClosed = true
    partitions = [:]
    lock = nil
  }

  /// Reads the records of a partition.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The generation, the records in the order of their last change, and what was found damaged.
  /// - Throws: The reason why it cannot be read.
  public func load(_ partition: StorePartition) throws(QueryStoreError) -> StoreContents {
    let opened = try open(partition)
    var place = opened.place
    defer { partitions[partition] = place }
    eraseIfNeeded(&place)
    let bytes: Data
    if let read = opened.bytes {
      bytes = read
    } else {
      bytes = try place.file?.read(0..<place.log.length) ?? Data()
    }
    let found = opened.found ?? LogRecovery(bytes, place.log.format)
    place.log.found(damage: found.damage)
    return StoreContents(
      generation: place.log.generation,
      records: found.records(in: bytes),
      damage: place.log.reportDamage()
    )
  }

  /// Reads the records with some keys, and nothing but the batches that they are in.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - partition: The partition.
  /// - Returns: The generation, the records in the order of their keys, and what was damaged.
  /// - Throws: The reason why they cannot be read.
  public func load(
    _ keys: [String],
    of partition: StorePartition
  ) async throws(QueryStoreError) -> StoreContents {
    // Asynchronous like the default implementation, which asynchronous code would prefer otherwise.
    let opened = try open(partition)
    var place = opened.place
    defer { partitions[partition] = place }
    eraseIfNeeded(&place)
    var contents = StoreContents(generation: place.log.generation)
    // A frame is read once, however many of the keys it has.
    var wanted: [Range<Int>: [(key: String, value: Range<Int>)]] = [:]
    for key in Set(keys) {
      guard let found = place.log.index.places[key] else { continue }
      wanted[found.frame, default: []].append((key, found.value))
    }
    var values: [String: Data] = [:]
    for (frame, places) in wanted.sorted(by: { $0.key.lowerBound < $1.key.lowerBound }) {
      guard let bytes = try place.file?.read(frame) else { continue }
      if let found = place.log.values(at: places.map(\.value), ofFrame: frame, in: bytes) {
        for (place, value) in zip(places, found) { values[place.key] = value }
      } else {
        place.log.found(damage: [frame])
      }
    }
    for key in keys {
      guard let value = values.removeValue(forKey: key) else { continue }
      contents.records.append(StoreRecord(key: key, value: value))
    }
    contents.damage = place.log.reportDamage()
    return contents
  }

  /// Adds a batch to the partition's file, and waits until it is on the disk.
  ///
  /// - Parameters:
  ///   - batch: What changes.
  ///   - partition: The partition.
  /// - Throws: The reason why it cannot be written.
  public func write(
    _ batch: StoreBatch,
    to partition: StorePartition
  ) throws(QueryStoreError) {
    var place = try open(partition).place
    defer { partitions[partition] = place }
    guard batch.generation == place.log.generation else {
      throw .superseded(current: place.log.generation)
    }
    if batch.isEmpty { return }
    guard let bytes = place.log.bytes(for: batch) else { throw .full }
    try prepare(&place)
    guard let file = place.file else { return }
    do throws(QueryStoreError) {
      try file.write(bytes, at: place.log.length)
      try file.sync()
    } catch {
      place.log.appendFailed()
      // Now, since it takes up room; if it cannot be done now, it is done before the next batch.
      try? prepare(&place)
      throw error
    }
    place.log.appended(bytes)
    if place.log.isWasteful { compact(&place) }
  }

  /// Begins the next generation, on the disk first, and then erases the bytes.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The generation that begins.
  /// - Throws: The reason why the records may still be on the disk. This store shows them no more. If
  ///   the generation has reached the disk, no later one does either: each erases them at its
  ///   first use.
  public func wipe(_ partition: StorePartition) throws(QueryStoreError) -> StoreGeneration {
    // Also if it cannot be opened now, it is wiped before anything is read of it.
    if partitions[partition] == nil { unwiped.insert(partition) }
    let isWiped = unwiped.contains(partition)
    var place = try open(partition).place
    defer { partitions[partition] = place }
    if !isWiped { place.log.wiped() }
    try prepare(&place)
    try removeLeftOver(&place)
    return place.log.generation
  }

  /// Closes the partition's file, which the next call opens again.
  ///
  /// - Parameter partition: The partition.
  public func release(_ partition: StorePartition) async {
    // What is still to be done there would be forgotten.
    guard let place = partitions[partition], place.log.step == nil else { return }
    partitions[partition] = nil
  }
}
