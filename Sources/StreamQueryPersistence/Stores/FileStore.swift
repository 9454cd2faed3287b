internal import StreamQuery

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
/// ``QueryStoreError/inUse``. The use begins with the first call and ends with ``close()``, with ``suspend()``, or with
/// the last reference.
///
/// **App groups.** The store has a lock on its directory, and the system ends an app that is suspended while it has a
/// lock in the container of an app group (exception code `0xdead10cc`). It ends a WatchKit extension even for a lock in its
/// own container. Call ``suspend()`` when the app goes to the background, after `client.save()`, and ``resume()`` when it
/// comes back. Give each process its own partition there, and hold the store only for as long as you use it: the app and
/// its extension take turns. For several processes at the same time use `GRDBStore` of `Integrations/GRDBStore`.
///
/// **Removed files.** If files of the store are removed or replaced while it has them open, the next batch throws
/// ``QueryStoreError/filesReplaced`` instead of being lost. The store creates the directory and the files of the open
/// partitions anew, with all that it had acknowledged, so that the batch can be written again.
///
/// **Full or read-only disks** throw ``QueryStoreError/full`` and ``QueryStoreError/denied``, and what was
/// acknowledged can still be read. A wipe needs no room.
///
/// **Memory and time.** The store keeps the keys of the partitions that were used, and one open file
/// for each; ``release(_:)`` gives both back. It lists the directory once, and keeps the names. A partition
/// is read at once, and its values are slices of that. The calls block their thread while the disk works: they run
/// on the caller's preferred task executor, if it has one.
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

  /// Whether calls are answered.
  enum Phase {
    case ready
    /// They wait.
    case suspended
    case closed
  }

  /// The directory, while this store has it.
  struct OpenDirectory {
    let lock: any FileLock
    var files: LogListing
  }

  let directory: String
  let system: any FileSystem
  let waste: Int
  var phase = Phase.ready
  /// The calls that wait, in their order; each lets the next one go on.
  var waits: [SharedOneShot<Void>] = []
  var opened: OpenDirectory?
  /// Whether files were removed or replaced, and could not be created anew so far.
  var isDisplaced = false
  /// The generation of partitions that have no file.
  var floor = StoreGeneration.first
  var partitions: [StorePartition: OpenPartition] = [:]
  /// Partitions that were to be wiped when their files could not be opened.
  var unwiped: Set<StorePartition> = []
  /// The generations that wipes have begun whose files were let go of before they had these names.
  var begun: [StorePartition: StoreGeneration] = [:]
  /// The damage of partitions that were let go of.
  var knownDamage: [StorePartition: PartitionLog.KnownDamage] = [:]

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

  /// Whether the system may delete the directory: it is in `Library/Caches`, or in `.cache` on Linux.
  nonisolated var isInCaches: Bool {
    let names = directory.split(separator: "/")
    return zip(names, names.dropFirst()).contains { $0 == "Library" && $1 == "Caches" }
      || names.contains(".cache")
  }

  /// Gives the directory up, for another store or another process.
  ///
  /// All further calls throw ``QueryStoreError/closed``.
  public func close() {
    (phase, partitions, opened) = (.closed, [:], nil)
    waits.first?.give(())
  }

  /// Reads the records of a partition.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The generation, the records in the order of their last change, and what was found damaged.
  /// - Throws: The reason why it cannot be read.
  public func load(
    _ partition: StorePartition
  ) async throws(QueryStoreError) -> StoreContents {
    try await waitUntilResumed()
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
    try await waitUntilResumed()
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
  ) async throws(QueryStoreError) {
    try await waitUntilResumed()
    var place = try open(partition).place
    partitions[partition] = place
    guard batch.generation == place.log.generation else {
      throw .superseded(current: place.log.generation)
    }
    if batch.isEmpty { return }
    guard let addition = place.log.addition(of: batch) else { throw .full }
    do throws(QueryStoreError) {
      try add(addition, to: &place)
    } catch {
      partitions[partition] = place
      throw isGone(place) ? createAnew() : error
    }
    if place.log.isWasteful { compact(&place) }
    partitions[partition] = place
  }

  /// Begins the next generation, on the disk first, and then erases the bytes.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The generation that begins.
  /// - Throws: The reason why the records may still be on the disk. This store shows them no more. If
  ///   the generation has reached the disk, no later one does either: each erases them at its
  ///   first use.
  public func wipe(
    _ partition: StorePartition
  ) async throws(QueryStoreError) -> StoreGeneration {
    try await waitUntilResumed()
    // At once. If it cannot be opened now, it is wiped before anything is read of it.
    if partitions[partition] == nil {
      unwiped.insert(partition)
    } else {
      partitions[partition]?.log.wiped()
    }
    var place = try open(partition).place
    var failure = erase(&place)
    partitions[partition] = place
    if failure != nil, isGone(place) {
      try takeAnew()
      place = try open(partition).place
      failure = erase(&place)
      partitions[partition] = place
    }
    if let failure { throw failure }
    return place.log.generation
  }

  /// Closes the partition's file, which the next call opens again, and removes it if no record is in it.
  ///
  /// A partition without a file may be in a later generation than it was before: load it before you write to it again.
  ///
  /// - Parameter partition: The partition.
  public func release(_ partition: StorePartition) async {
    guard case .ready = phase, let place = partitions[partition] else { return }
    if isGone(place) { try? takeAnew() }
    guard var place = partitions[partition], !isDisplaced else { return }
    eraseIfNeeded(&place)
    try? removeLeftOver(of: place)
    partitions[partition] = place
    // What is still to be done there would be forgotten.
    guard !place.log.isErasing, opened?.files.leftOver[place.log.stem] == nil else { return }
    if place.log.isEmpty, !place.isReadOnly { try? removeFile(of: place) }
    letGo(of: partition, place)
  }
}
