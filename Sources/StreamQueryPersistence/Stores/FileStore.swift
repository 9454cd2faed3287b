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
/// On Linux, `URL` has no `cachesDirectory`: name a directory of yours.
///
/// Each partition has one file, to which batches are added; when more than half of the file, and more than
/// 64 KB, are not needed any more, it is rewritten. A batch is on the disk when ``write(_:to:)`` returns, and
/// survives the end of the process, of the system and of the power at any moment. Damaged bytes destroy the
/// batches that contain them, and are reported in ``StoreContents/damage``.
///
/// **One store at a time.** While a store uses a directory, any other store throws ``QueryStoreError/inUse``,
/// in this process or another. The use begins with the first call and ends with ``close()``, with
/// ``suspend()``, or with the last reference.
///
/// **App groups.** The store has a lock on its directory, and the system ends an app that is suspended while
/// it has a lock in the container of an app group (exception code `0xdead10cc`). It ends a WatchKit extension
/// even for a lock in its own container. Call ``suspend()`` when the app goes to the background, after
/// `client.save()`, and ``resume()`` when it comes back. Give each process its own partition there, and
/// release the store after use: the app and its extension take turns. For several processes at the same time
/// use `GRDBStore` of `Integrations/GRDBStore`.
///
/// **Removed files.** If files of the store are removed or replaced while it has them open, the next batch
/// throws ``QueryStoreError/filesReplaced`` and is not lost silently. The store creates the directory and the
/// files of the open partitions again, with all acknowledged records, so that the batch can be written again.
/// To lose the records, call ``close()`` before you remove the files.
///
/// **Full or read-only disks.** A batch throws ``QueryStoreError/full`` or ``QueryStoreError/denied``, and
/// acknowledged records can still be read. A wipe needs no room.
///
/// **Memory and time.** For each partition in use, the store keeps the keys and one open file in memory;
/// ``release(_:)`` gives both back. It lists the directory once, and keeps the names. A partition is read as
/// a whole, and its values are slices of these bytes. The calls block their thread while the disk works: they
/// run on the caller's preferred task executor, if it has one.
public actor FileStore: QueryStore {
  /// The times at which the store's files can be read, on platforms that encrypt each file with its own key.
  ///
  /// The protection has no effect elsewhere, and on disks that do not encrypt files. A file gets its class
  /// when it is created, and so does the directory if the store creates it; an existing file gets another
  /// class when it is rewritten.
  public struct Protection: Hashable, Sendable {
    /// Files can be read only while the device is unlocked.
    ///
    /// While the device is locked, data that is fetched in the background cannot be saved.
    public static let complete = Self(number: 1)
    /// Files can be read while the device is unlocked, and for as long as the store has them open.
    public static let completeUnlessOpen = Self(number: 2)
    /// Files can be read after the device has been unlocked once since its start; the default.
    public static let untilFirstUnlock = Self(number: 3)
    /// Files can always be read.
    public static let none = Self(number: 4)
    /// Files have the class of their directory.
    public static let inherited = Self(number: nil)

    /// The data-protection class's number in Apple's headers; `nil` leaves the class to the directory.
    let number: Int32?

    /// The class of the lock file, which has no content.
    ///
    /// It is `untilFirstUnlock` or a weaker class, so that the lock can be opened, and new files can be made,
    /// while records cannot be read.
    var ofLock: Self { Self(number: number.map { max($0, 3) }) }
  }

  /// Whether the store answers calls, lets them wait, or is closed.
  enum Phase {
    case ready
    /// Calls wait until the store is resumed.
    case suspended
    case closed
  }

  /// The locked directory, with the names of its files.
  struct OpenDirectory {
    let lock: any FileLock
    var files: LogListing
  }

  let directory: String
  let system: any FileSystem
  let waste: Int
  var phase = Phase.ready
  /// The calls that wait while the store is suspended, in order; each one lets the next go on.
  var waits: [SharedOneShot<Void>] = []
  var opened: OpenDirectory?
  /// Whether files were removed or replaced, and could not be created again yet.
  var isDisplaced = false
  /// The generation of all partitions without a file.
  var floor = StoreGeneration.first
  var partitions: [StorePartition: OpenPartition] = [:]
  /// The partitions that are still to be wiped, because their files could not be opened when the wipe was
  /// requested.
  var unwiped: Set<StorePartition> = []
  /// The new generations of wiped partitions that are not in the file's name, because the file was closed
  /// before it could be renamed.
  var begun: [StorePartition: StoreGeneration] = [:]
  /// The damage that had been found in partitions when their files were closed.
  var knownDamage: [StorePartition: PartitionLog.KnownDamage] = [:]

  #if !os(Windows) && !os(WASI)
  /// Creates a store, which accesses the disk at its first use.
  ///
  /// - Parameters:
  ///   - directory: The directory, which is created if necessary. It should have no other files.
  ///   - protection: The times at which the files can be read, on platforms that encrypt each file.
  public init(directory: URL, protection: Protection = .untilFirstUnlock) {
    self.init(
      directory: directory.path(percentEncoded: false),
      system: PosixFileSystem(protection: protection)
    )
  }
  #endif

  /// Creates a store on any file system, such as the one of a test.
  ///
  /// A file is rewritten when at least `waste` of its bytes, and at least half of its bytes, are
  /// not needed any more.
  init(directory: String, system: any FileSystem, waste: Int = 64 * 1024) {
    self.directory =
      directory.count > 1 && directory.hasSuffix("/")
      ? String(directory.dropLast()) : directory
    self.system = system
    self.waste = waste
  }

  /// Whether the directory is in `Library/Caches`, or on Linux in `.cache`, so that the system may delete it.
  nonisolated var isInCaches: Bool {
    let names = directory.split(separator: "/")
    return zip(names, names.dropFirst()).contains { $0 == "Library" && $1 == "Caches" }
      || names.contains(".cache")
  }

  /// Closes the files and unlocks the directory, for another store or another process.
  ///
  /// All further calls throw ``QueryStoreError/closed``.
  public func close() {
    (phase, partitions, opened) = (.closed, [:], nil)
    waits.first?.give(())
  }

  /// Reads the records of a partition.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The generation, the records in the order of their last change, and the damage.
  /// - Throws: The reason why the partition cannot be read.
  public func load(
    _ partition: StorePartition
  ) async throws(QueryStoreError) -> StoreContents {
    try await waitUntilResumed()
    let opened = try open(partition)
    var state = opened.state
    defer { partitions[partition] = state }
    eraseIfNeeded(&state)
    let bytes: Data
    if let read = opened.bytes {
      bytes = read
    } else {
      bytes = try state.file?.read(0..<state.log.length) ?? Data()
    }
    let found = opened.found ?? LogRecovery(bytes, state.log.format)
    state.log.found(damage: found.damage)
    return StoreContents(
      generation: state.log.generation,
      records: found.records(in: bytes),
      damage: state.log.reportDamage()
    )
  }

  /// Reads the records of the given keys; only the batches that contain them are read from the disk.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - partition: The partition.
  /// - Returns: The generation, the records in the order of `keys`, and the damage.
  /// - Throws: The reason why the records cannot be read.
  public func load(
    _ keys: [String],
    of partition: StorePartition
  ) async throws(QueryStoreError) -> StoreContents {
    try await waitUntilResumed()
    let opened = try open(partition)
    var state = opened.state
    defer { partitions[partition] = state }
    eraseIfNeeded(&state)
    var contents = StoreContents(generation: state.log.generation)
    // The keys are grouped by frame, so that each frame is read once for all of its keys.
    var wanted: [Range<Int>: [(key: String, value: Range<Int>)]] = [:]
    for key in Set(keys) {
      guard let found = state.log.index.locations[key] else { continue }
      wanted[found.frame, default: []].append((key, found.value))
    }
    var values: [String: Data] = [:]
    for (frame, places) in wanted.sorted(by: { $0.key.lowerBound < $1.key.lowerBound }) {
      guard let bytes = try state.file?.read(frame) else { continue }
      if let found = state.log.values(at: places.map(\.value), ofFrame: frame, in: bytes) {
        for (place, value) in zip(places, found) { values[place.key] = value }
      } else {
        state.log.found(damage: [frame])
      }
    }
    for key in keys {
      guard let value = values.removeValue(forKey: key) else { continue }
      contents.records.append(StoreRecord(key: key, value: value))
    }
    contents.damage = state.log.reportDamage()
    return contents
  }

  /// Adds a batch to the partition's file, and waits until it is on the disk.
  ///
  /// - Parameters:
  ///   - batch: The changes.
  ///   - partition: The partition.
  /// - Throws: The reason why the batch cannot be written.
  public func write(
    _ batch: StoreBatch,
    to partition: StorePartition
  ) async throws(QueryStoreError) {
    try await waitUntilResumed()
    var state = try open(partition).state
    partitions[partition] = state
    guard batch.generation == state.log.generation else {
      throw .superseded(current: state.log.generation)
    }
    if batch.isEmpty { return }
    guard let addition = state.log.addition(of: batch) else { throw .full }
    do throws(QueryStoreError) {
      try append(addition, to: &state)
    } catch {
      partitions[partition] = state
      throw isGone(state) ? createAnew() : error
    }
    if state.log.isWasteful { compact(&state) }
    partitions[partition] = state
  }

  /// Begins the partition's next generation on the disk, and then erases the former records.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The new generation.
  /// - Throws: The reason why the records may still be on the disk. This store does not show them any more,
  ///   unless the call was cancelled while the store was suspended. If the new generation has reached the
  ///   disk, later stores hide the records, too, and erase them at their first use.
  public func wipe(
    _ partition: StorePartition
  ) async throws(QueryStoreError) -> StoreGeneration {
    try await waitUntilResumed()
    // The request is remembered at once: if the partition cannot be opened now, it is wiped before its
    // records are next read.
    if partitions[partition] == nil {
      unwiped.insert(partition)
    } else {
      partitions[partition]?.log.wiped()
    }
    var state = try open(partition).state
    var failure = erase(&state)
    partitions[partition] = state
    if failure != nil, isGone(state) {
      try takeAnew()
      state = try open(partition).state
      failure = erase(&state)
      partitions[partition] = state
    }
    if let failure { throw failure }
    return state.log.generation
  }

  /// Closes the partition's file, which the next call opens again; a file without records is removed.
  ///
  /// A partition without a file may be in a later generation than before: load it before you write to it
  /// again.
  ///
  /// - Parameter partition: The partition.
  public func release(_ partition: StorePartition) async {
    guard case .ready = phase, let state = partitions[partition] else { return }
    if isGone(state) { try? takeAnew() }
    guard var state = partitions[partition], !isDisplaced else { return }
    eraseIfNeeded(&state)
    try? removeLeftOver(of: state)
    partitions[partition] = state
    // A partition with unfinished steps stays open, because they would be forgotten if it were closed.
    guard !state.log.isErasing, opened?.files.leftOver[state.log.stem] == nil else { return }
    if state.log.isEmpty, !state.isReadOnly { try? removeFile(of: state) }
    letGo(of: partition, state)
  }
}
