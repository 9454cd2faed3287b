#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The state of a partition's file, and the steps that must precede the next batch.
///
/// The file's name contains the present generation. So a wipe only renames the file, which is atomic, needs
/// no room on the disk, and makes all frames unreadable, because they belong to an earlier generation. The
/// bytes are erased afterwards, if necessary after the next launch.
struct PartitionLog {
  /// A step that prepares the file for a batch; the steps are made in the order of the cases.
  enum Step: Equatable {
    /// Rename the file of this generation to the name of the present generation.
    case rename(from: StoreGeneration)
    /// Make the file's name durable.
    ///
    /// This step is also necessary after a launch, because an earlier process may have renamed the file and
    /// ended before this step.
    case syncDirectory
    /// Truncate the file to this length.
    case truncate(Int)
    /// Make it durable that the file is empty.
    case sync
  }

  /// The bytes that a batch adds to the file, and the changes in them.
  struct Addition {
    var bytes: [UInt8]
    fileprivate var changes: [LogFormat.Change]
    fileprivate var frame: Range<Int>
  }

  /// The damage that was found in a file before the store last closed the file.
  struct KnownDamage {
    var ranges: Set<Range<Int>> = []
    var unreported: [StoreDamage] = []
  }

  private enum Rest {
    case none
    /// The file ends with bytes of a batch that was not acknowledged; they are cut off before the next batch.
    case unfinished
    /// The file has bytes of an earlier generation.
    case wiped
    /// The file was emptied, but perhaps not durably yet.
    case erased
  }

  /// The partition's name in the form that file names have.
  let stem: String
  /// The file is rewritten if at least this many bytes, and half of all bytes, are not needed any more.
  let waste: Int
  /// The format of the frames, with the present generation.
  private(set) var format: LogFormat
  private(set) var index = LogIndex()
  /// The number of acknowledged bytes in the file; the bytes after them are ignored.
  private(set) var length = 0

  /// The generation in the file's name; `nil` if the partition has no file.
  private var named: StoreGeneration?
  private var isNameDurable = false
  private var rest = Rest.none
  /// The damaged ranges that the file has now.
  private var damaged: Set<Range<Int>> = []
  /// All damage that was found, also before the store last closed the file.
  private var known: KnownDamage
  /// The length that the file must reach before rewriting is tried again after a failure.
  private var nextCompaction = 0

  /// Creates the log of a partition, at first without a file.
  init(
    _ partition: StorePartition,
    _ generation: StoreGeneration,
    waste: Int,
    known: KnownDamage = KnownDamage()
  ) {
    stem = LogFileName.stem(partition)
    format = LogFormat(partition, generation)
    self.waste = waste
    self.known = known
  }

  /// Takes over the content of the partition's file, which was opened and read.
  mutating func opened(_ found: LogRecovery, bytes: Int) {
    named = generation
    restored(found)
    switch found.origin {
    case .wiped: rest = .wiped
    case .empty, .present, .otherVersion: rest = bytes > found.end ? .unfinished : .none
    }
  }

  /// Notes that an empty file of the present generation was created.
  mutating func created() {
    named = generation
    isNameDurable = false
    rest = .none
  }

  var generation: StoreGeneration { format.generation }
  /// The name that the file has, or gets, in the present generation.
  var name: LogFileName { LogFileName(stem: stem, generation) }

  /// The present name of the file, perhaps of an earlier generation; `nil` if the partition has no file.
  var fileName: LogFileName? { named.map { LogFileName(stem: stem, $0) } }

  /// The next step before a batch may be added, or before a wipe is complete; `nil` if none is left.
  var step: Step? {
    guard let named else { return nil }
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
    case .rename:
      named = generation
      isNameDurable = false
    case .syncDirectory: isNameDurable = true
    case .truncate: rest = rest == .wiped ? .erased : .none
    case .sync: rest = .none
    }
  }

  // MARK: Events

  /// Wipes the partition in memory: none of its records is read any more, whatever happens to the file.
  ///
  /// - Parameter least: The minimum of the new generation, which is also later than the present one.
  mutating func wiped(to least: StoreGeneration = .first) {
    format.generation = max(generation.next, least)
    index = LogIndex()
    length = 0
    if named != nil { rest = .wiped }
    (damaged, known, nextCompaction) = ([], KnownDamage(), 0)
  }

  /// Returns the bytes to add to the file for a batch; `nil` if they exceed the maximum length of a frame.
  func addition(of batch: StoreBatch) -> Addition? {
    var bytes = length == 0 ? format.header() : []
    let start = length + bytes.count
    let changes = format.append(
      puts: batch.puts,
      removals: batch.removals,
      to: &bytes,
      whichBeginAt: length
    )
    guard let changes else { return nil }
    return Addition(bytes: bytes, changes: changes, frame: start..<(length + bytes.count))
  }

  /// Takes over the changes of an addition that is at the end of the file and on the disk.
  mutating func added(_ addition: Addition) {
    index.apply(addition.changes, of: addition.frame)
    length = addition.frame.upperBound
  }

  /// Notes that an addition failed: a part of it may be in the file.
  mutating func additionFailed() {
    rest = .unfinished
  }

  /// Notes damaged ranges of the file, each of which is reported once.
  mutating func found(damage: [Range<Int>]) {
    for place in damage {
      damaged.insert(place)
      guard known.ranges.insert(place).inserted else { continue }
      let text = "\(name.text) at \(place.lowerBound)"
      known.unreported.append(StoreDamage(place: text, byteCount: place.count))
    }
  }

  /// All damage that was found, to be kept while the file is closed; `nil` if there was none.
  var knownDamage: KnownDamage? {
    known.ranges.isEmpty && known.unreported.isEmpty ? nil : known
  }

  /// Whether the file may be removed: it has no record, and no damage was found.
  var isEmpty: Bool { index.locations.isEmpty && !isErasing && knownDamage == nil }

  /// Returns the damage that was not reported yet; each range is reported once.
  mutating func reportDamage() -> [StoreDamage] {
    defer { known.unreported = [] }
    return known.unreported
  }

  /// Returns the values at some ranges of a frame; `nil` if the frame is damaged.
  func values(at ranges: [Range<Int>], ofFrame frame: Range<Int>, in bytes: Data) -> [Data]? {
    let start = frame.lowerBound
    let isRight = bytes.withUnsafeBytes { bytes in
      guard let length = format.bodyLength(of: bytes, at: 0, offset: start),
        length == bytes.count - LogFormat.frameHeaderSize
      else { return false }
      return format.changes(in: bytes, at: 0, length: length, offset: start) != nil
    }
    guard isRight, bytes.count == frame.count else { return nil }
    let first = bytes.startIndex - start
    return ranges.map { bytes[(first + $0.lowerBound)..<(first + $0.upperBound)] }
  }

  // MARK: Rewriting

  /// Whether the file is to be replaced with one that has only the present records.
  var isWasteful: Bool {
    guard length >= nextCompaction else { return false }
    return !damaged.isEmpty || length > waste + 2 * index.liveBytes
  }

  /// Notes that the file could not be replaced.
  ///
  /// The next attempt comes when the file has grown by half of its length, and at least by `waste` bytes.
  mutating func compactionFailed() {
    nextCompaction = length + max(length / 2, waste)
  }

  /// Takes over the content of a file that has replaced the former one.
  mutating func replaced(by found: LogRecovery) {
    (damaged, known.ranges) = ([], [])
    created()
    restored(found)
    nextCompaction = 0
  }

  private mutating func restored(_ found: LogRecovery) {
    index = found.index
    length = found.end
    self.found(damage: found.damage)
  }
}
