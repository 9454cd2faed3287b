#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A store in the defaults of an app, for a few small records.
///
/// A partition is one value of the defaults, which each batch replaces as a whole. So a batch costs as much
/// as all records together: use ``FileStore`` for more than some dozens of kilobytes. The system writes
/// defaults to the disk by itself: they survive the end of the app at once, and a loss of power after a
/// moment.
///
/// The stores of this type in a process take turns at a value, so that two of them on the same defaults do
/// not overwrite each other: see ``DefaultsStorage/storageIdentity``. App defaults have no lock for two
/// processes: if an app and its extension write to one partition, they overwrite each other's batches. Give
/// each its own prefix or partition. An outbox also needs its own prefix: in one partition, saved queries may
/// leave no room for it.
public actor DefaultsStore: QueryStore {
  /// The place of one value: a storage, and a name in it.
  private struct Key: Hashable {
    let storage: ObjectIdentifier
    let name: String
  }

  /// Orders the uses of each value without a lock, because the storage is user code.
  ///
  /// An executor that all stores share could also order the uses, but would mix the tasks of
  /// different simulations.
  private static let turns = StoreTurns<Key>()

  private let storage: any DefaultsStorage
  private let prefix: String
  private let maxBytes: Int
  private let identity: ObjectIdentifier
  /// The damage in each present value that was reported already.
  private var reported: [StorePartition: [StoreDamage]] = [:]
  /// The damage in each former value that was replaced before its damage was reported.
  private var unreported: [StorePartition: [StoreDamage]] = [:]

  /// The maximum number of bytes of keys and values in a partition: the maximum size, without the bytes that
  /// the format needs for one record.
  public nonisolated var byteLimit: Int {
    // Further records need more bytes of the format. A batch for which there is no room throws `full`.
    let form = LogFormat.headerSize + LogFormat.frameHeaderSize + LogFormat.recordHeaderSize
    return max(form, maxBytes) - form
  }

  /// Creates a store in a storage.
  ///
  /// - Parameters:
  ///   - storage: The storage of the values.
  ///   - prefix: The prefix of the names of the values.
  ///   - maxBytes: The size of a partition in bytes, beyond which a batch throws ``QueryStoreError/full``.
  public init(
    _ storage: any DefaultsStorage,
    prefix: String = "StreamQuery.",
    maxBytes: Int = 256 * 1024
  ) {
    self.storage = storage
    identity = storage.storageIdentity
    self.prefix = prefix
    self.maxBytes = maxBytes
  }

  #if canImport(Darwin)
  /// Creates a store in `UserDefaults`.
  ///
  /// - Parameters:
  ///   - suiteName: The name of the group or suite; `nil` means the standard defaults.
  ///   - prefix: The prefix of the names of the values.
  ///   - maxBytes: The size of a partition in bytes, beyond which a batch throws ``QueryStoreError/full``.
  public init(
    suiteName: String? = nil,
    prefix: String = "StreamQuery.",
    maxBytes: Int = 256 * 1024
  ) {
    self.init(SystemDefaults(suiteName: suiteName), prefix: prefix, maxBytes: maxBytes)
  }
  #endif

  /// Reads the records of a partition; if the partition has no value yet, an empty one is written.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The generation, the records, sorted by key, and the damage.
  /// - Throws: ``QueryStoreError/otherVersion``.
  public func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents {
    // The read also takes a turn, so that it comes after earlier writes.
    try await inTurn(partition) { () throws(QueryStoreError) in
      var contents = try read(partition)
      if storage.data(forKey: name(of: partition)) == nil {
        // The generation is written, so that the reader can write a batch in it. Otherwise the generation
        // could become outdated when the release of another partition raises the floor, the generation of
        // partitions without a value.
        try put([], LogFormat(partition, contents.generation), to: partition)
      }
      let damage = contents.damage
      let new = damage.filter { reported[partition]?.contains($0) != true }
      contents.damage = (unreported.removeValue(forKey: partition) ?? []) + new
      reported[partition] = damage.isEmpty ? nil : damage
      return contents
    }
  }

  private func inTurn<Result>(
    _ partition: StorePartition,
    _ body: () throws(QueryStoreError) -> Result
  ) async throws(QueryStoreError) -> Result {
    try await Self.turns.take(Key(storage: identity, name: name(of: partition)), body)
  }

  private func read(_ partition: StorePartition) throws(QueryStoreError) -> StoreContents {
    guard let bytes = storage.data(forKey: name(of: partition)) else {
      return StoreContents(generation: try floor())
    }
    let format = LogFormat(partition, Self.generation(in: bytes))
    let found = LogRecovery(bytes, format)
    if found.origin == .otherVersion { throw .otherVersion }
    return StoreContents(
      generation: format.generation,
      records: found.records(in: bytes),
      damage: found.damage.map {
        let place = "\(name(of: partition)) at \($0.lowerBound)"
        return StoreDamage(place: place, byteCount: $0.count)
      }
    )
  }

  /// Applies a batch, and replaces the partition's value.
  ///
  /// - Parameters:
  ///   - batch: The changes.
  ///   - partition: The partition.
  /// - Throws: ``QueryStoreError/superseded(current:)``, ``QueryStoreError/full`` if the partition would be
  ///   larger than allowed, or ``QueryStoreError/otherVersion``.
  public func write(
    _ batch: StoreBatch,
    to partition: StorePartition
  ) async throws(QueryStoreError) {
    try await inTurn(partition) { () throws(QueryStoreError) in try add(batch, to: partition) }
  }

  private func add(
    _ batch: StoreBatch,
    to partition: StorePartition
  ) throws(QueryStoreError) {
    let contents = try read(partition)
    // The new value has none of the damaged bytes, so damage that was not reported yet is kept in memory.
    let damage = contents.damage.filter { reported[partition]?.contains($0) != true }
    guard contents.generation == batch.generation else {
      throw .superseded(current: contents.generation)
    }
    if batch.isEmpty { return }
    var values = Dictionary(contents.records.map { ($0.key, $0.value) }) { $1 }
    for key in batch.removals { values[key] = nil }
    for record in batch.puts { values[record.key] = record.value }
    let records = values.map(StoreRecord.init).sorted { $0.key < $1.key }
    try put(records, LogFormat(partition, contents.generation), to: partition)
    if !damage.isEmpty { unreported[partition, default: []] += damage }
    reported[partition] = nil
  }

  /// Replaces the partition's value with that of an empty partition in the next generation.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The new generation.
  /// - Throws: ``QueryStoreError/otherVersion``.
  public func wipe(
    _ partition: StorePartition
  ) async throws(QueryStoreError) -> StoreGeneration {
    try await inTurn(partition) { () throws(QueryStoreError) in
      let next = try read(partition).generation.next
      try put([], LogFormat(partition, next), to: partition)
      (reported[partition], unreported[partition]) = (nil, nil)
      return next
    }
  }

  /// Removes the partition's value, if it has no record.
  ///
  /// - Parameter partition: The partition.
  public func release(_ partition: StorePartition) async {
    let place = Key(storage: identity, name: name(of: partition))
    await Self.turns.begin(place)
    defer { Self.turns.end(place) }
    guard storage.data(forKey: place.name) != nil, let contents = try? read(partition),
      contents.records.isEmpty, contents.damage.isEmpty, unreported[partition] == nil
    else { return }
    // The generation of the removed value must not be used again, so the floor, the generation of all
    // partitions without a value, is raised to it.
    let isRaised = try? await Self.turns.take(Key(storage: identity, name: floorName)) {
      () throws(QueryStoreError) in
      if contents.generation > (try floor()) {
        let header = LogFormat("", contents.generation).header()
        storage.set(Data(header), forKey: floorName)
      }
      return true
    }
    if isRaised == true { storage.set(nil, forKey: place.name) }
  }

  /// Returns the generation of partitions that have no value.
  private func floor() throws(QueryStoreError) -> StoreGeneration {
    guard let bytes = storage.data(forKey: floorName) else { return .first }
    if LogRecovery(bytes, LogFormat("", .first)).origin == .otherVersion { throw .otherVersion }
    return Self.generation(in: bytes)
  }

  private var floorName: String { prefix + LogFileName.floorStem }

  private func put(
    _ records: [StoreRecord],
    _ format: LogFormat,
    to partition: StorePartition
  ) throws(QueryStoreError) {
    guard let image = LogImage.of(records, format),
      image.count <= max(maxBytes, LogFormat.headerSize)
    else { throw .full }
    storage.set(Data(image), forKey: name(of: partition))
  }

  private func name(of partition: StorePartition) -> String {
    prefix + LogFileName.stem(partition)
  }

  /// Returns the generation of a value.
  ///
  /// Only the header has the generation, and no record can be read without the generation. So if the header
  /// is damaged, this tries whether changing any single bit of it makes it valid again.
  private static func generation(in bytes: Data) -> StoreGeneration {
    guard bytes.count >= LogFormat.headerSize else { return .first }
    var header = [UInt8](bytes.prefix(LogFormat.headerSize))
    func found() -> StoreGeneration? {
      let header = header.withUnsafeBytes { LogFormat.header(of: $0) }
      if case .generation(let generation) = header { return generation }
      return nil
    }
    if let generation = found() { return generation }
    for place in header.indices {
      for bit in 0..<8 {
        header[place] ^= 1 << bit
        if let generation = found() { return generation }
        header[place] ^= 1 << bit
      }
    }
    return .first
  }
}
