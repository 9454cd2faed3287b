#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What is known of a partition's file, and what has to be done before a batch may be added to it.
///
/// The name of the file says the present generation. So a wipe is a change of the name, which is whole
/// or not at all, needs no room on the disk, and makes all frames unreadable: they belong to an
/// earlier generation. The bytes are erased afterwards, if need be after the next launch.
struct PartitionLog {
  /// Something that has to be done to the file, in this order.
  enum Step: Equatable {
    /// Create the file, empty.
    case create
    /// Change the name from that of this generation to that of the present one.
    case rename(from: StoreGeneration)
    /// Make the name durable.
    ///
    /// Also after a launch: the name may be that of an earlier process, which did not get so far.
    case syncDirectory
    /// Cut off what follows.
    case truncate(Int)
    /// Make it durable that there is nothing.
    case sync
  }

  private enum Rest {
    case none
    /// Of a batch that was not acknowledged; if it comes back, it is cut off again.
    case unfinished
    /// Of an earlier generation.
    case wiped
    /// Cut off, but perhaps not yet on the disk.
    case erased
  }

  let partition: StorePartition
  /// A file is rewritten if at least this many bytes, and half of it, are not needed any more.
  let waste: Int
  private(set) var generation: StoreGeneration
  private(set) var index = LogIndex()
  /// The bytes of the file that are acknowledged; what follows them has no meaning.
  private(set) var length = 0

  /// The generation in the file's name; `nil` if there is no file.
  private var named: StoreGeneration?
  private var isNameDurable = false
  private var rest = Rest.none
  /// The damaged places of the file.
  private var damaged: Set<Range<Int>> = []
  private var unreported: [StoreDamage] = []
  /// The length below which rewriting is not tried again, since it failed.
  private var nextCompaction = 0

  init(_ partition: StorePartition, waste: Int) {
    self.partition = partition
    self.waste = waste
    generation = .first
  }

  /// What is known after the file was read, which has so many bytes.
  init(
    _ partition: StorePartition,
    opened generation: StoreGeneration,
    _ found: LogRecovery,
    bytes: Int,
    waste: Int
  ) {
    self.partition = partition
    self.waste = waste
    self.generation = generation
    named = generation
    restored(found)
    switch found.origin {
    case .wiped: rest = .wiped
    case .empty, .present, .laterVersion: rest = bytes > found.end ? .unfinished : .none
    }
  }

  /// The format of the frames of the present generation.
  var format: LogFormat { LogFormat(partition, generation) }
  /// The name of the file in the present generation.
  var name: LogFileName { LogFileName(partition, generation) }

  /// The name that the file still has; `nil` if there is none.
  var fileName: LogFileName? { named.map { LogFileName(partition, $0) } }

  /// The first thing to do before a batch may be added, and after a wipe.
  var step: Step? {
    guard let named else { return .create }
    guard named == generation else { return .rename(from: named) }
    guard isNameDurable else { return .syncDirectory }
    switch rest {
    case .none: return nil
    case .unfinished: return .truncate(length)
    case .wiped: return .truncate(0)
    case .erased: return .sync
    }
  }

  /// Whether records of an earlier generation may still be in the file.
  var isErasing: Bool {
    rest == .wiped || rest == .erased || named.map { $0 != generation } ?? false
  }

  mutating func did(_ step: Step) {
    switch step {
    case .create, .rename:
      named = generation
      isNameDurable = false
    case .syncDirectory: isNameDurable = true
    case .truncate: rest = rest == .wiped ? .erased : .none
    case .sync: rest = .none
    }
  }

  // MARK: What happened

  /// The partition is wiped: from now on nothing of it is readable, whatever becomes of the file.
  mutating func wiped() {
    generation = generation.next
    index = LogIndex()
    length = 0
    if named != nil { rest = .wiped }
    (damaged, unreported, nextCompaction) = ([], [], 0)
  }

  /// Returns what to append to the file for a batch; `nil` if it is too large.
  func bytes(for batch: StoreBatch) -> [UInt8]? {
    var bytes = length == 0 ? format.header() : []
    let isWritten = format.append(
      puts: batch.puts,
      removals: batch.removals,
      to: &bytes,
      whichBeginAt: length
    )
    return isWritten ? bytes : nil
  }

  /// These bytes are durable at the end of the file.
  mutating func appended(_ bytes: [UInt8]) {
    let start = length == 0 ? LogFormat.headerSize : 0
    let frame = (length + start)..<(length + bytes.count)
    let changes = bytes.withUnsafeBytes {
      format.changes(
        in: $0,
        at: start,
        length: frame.count - LogFormat.frameHeaderSize,
        offset: length
      )
    }
    index.apply(changes ?? [], of: frame)
    length = frame.upperBound
  }

  /// An attempt to append failed: nobody knows how much was written.
  mutating func appendFailed() {
    rest = .unfinished
  }

  /// These places of the file are damaged; rewriting it leaves out what cannot be read anyway.
  mutating func found(damage: [Range<Int>]) {
    for place in damage where damaged.insert(place).inserted {
      let text = "\(name.text) at \(place.lowerBound)"
      unreported.append(StoreDamage(place: text, byteCount: place.count))
    }
  }

  /// Returns the damage that was not reported yet: each is reported once.
  mutating func reportDamage() -> [StoreDamage] {
    defer { unreported = [] }
    return unreported
  }

  /// Returns values from the bytes of their frame, or `nil` if the frame is damaged.
  func values(at places: [Range<Int>], ofFrame frame: Range<Int>, in bytes: Data) -> [Data]? {
    let start = frame.lowerBound
    let isRight = bytes.withUnsafeBytes { bytes in
      guard let length = format.bodyLength(of: bytes, at: 0, offset: start),
        length == bytes.count - LogFormat.frameHeaderSize
      else { return false }
      return format.changes(in: bytes, at: 0, length: length, offset: start) != nil
    }
    guard isRight, bytes.count == frame.count else { return nil }
    let first = bytes.startIndex - start
    return places.map { bytes[(first + $0.lowerBound)..<(first + $0.upperBound)] }
  }

  // MARK: Rewriting

  /// Whether the file is to be replaced by one with only what is needed.
  var isWasteful: Bool {
    guard length >= nextCompaction else { return false }
    return !damaged.isEmpty || length > waste + 2 * index.liveBytes
  }

  /// The file could not be replaced: it grows by half before that is tried again.
  mutating func compactionFailed() {
    nextCompaction = length + max(length / 2, waste)
  }

  /// The file was replaced by one with this content.
  mutating func replaced(by found: LogRecovery) {
    damaged = []
    restored(found)
    isNameDurable = false
    rest = .none
    nextCompaction = 0
  }

  private mutating func restored(_ found: LogRecovery) {
    index = found.index
    length = found.end
    self.found(damage: found.damage)
  }
}
