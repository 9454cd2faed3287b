#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The state of a partition's file, and the steps that are necessary before a batch may be added.
///
/// The name of the file has the present generation. So a wipe renames the file, which is atomic, needs no
/// room on the disk, and makes all frames unreadable, because they belong to an earlier generation. The bytes
/// are erased afterwards, if necessary after the next launch.
struct PartitionLog {
  /// A step that changes the file; the cases are in the order of the steps.
  enum Step: Equatable {
    /// Rename the file, whose name has this generation, so that the name has the present one.
    case rename(from: StoreGeneration)
    /// Make the name durable.
    ///
    /// This step is also necessary after a launch: an earlier process may have renamed the file and
    /// ended before this step.
    case syncDirectory
    /// Cut off the bytes from this length on.
    case truncate(Int)
    /// Make it durable that the file is empty.
    case sync
  }

  /// The bytes and the changes that a batch adds to the file.
  struct Addition {
    var bytes: [UInt8]
    fileprivate var changes: [LogFormat.Change]
    fileprivate var frame: Range<Int>
  }

  /// The damage that was found before, for a log that is opened again.
  struct KnownDamage {
    var ranges: Set<Range<Int>> = []
    var unreported: [StoreDamage] = []
  }

  private enum Rest {
    case none
    /// There are bytes of a batch that was not acknowledged; they are cut off before the next
    /// batch.
    case unfinished
    /// There are bytes of an earlier generation.
    case wiped
    /// There are no bytes, but perhaps that is not on the disk yet.
    case erased
  }

  /// The partition, as written in the names of its files.
  let stem: String
  /// A file is rewritten if at least this many bytes, and half of it, are not needed any more.
  let waste: Int
  /// The format of the frames of the present generation.
  private(set) var format: LogFormat
  private(set) var index = LogIndex()
  /// The number of acknowledged bytes of the file; bytes after them have no meaning.
  private(set) var length = 0

  /// The generation in the file's name; `nil` if there is no file.
  private var named: StoreGeneration?
  private var isNameDurable = false
  private var rest = Rest.none
  /// The damaged places of the file.
  private var damaged: Set<Range<Int>> = []
  /// The damaged places that were found before, also in earlier uses of the file.
  private var known: KnownDamage
  /// The length below which rewriting is not tried again after a failure.
  private var nextCompaction = 0

  /// Creates the log of a partition without a file.
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

  /// The partition's file, of the present generation, was found and read.
  mutating func opened(_ found: LogRecovery, bytes: Int) {
    named = generation
    restored(found)
    switch found.origin {
    case .wiped: rest = .wiped
    case .empty, .present, .otherVersion: rest = bytes > found.end ? .unfinished : .none
    }
  }

  /// The partition's file was created, empty and in the present generation.
  mutating func created() {
    named = generation
    isNameDurable = false
    rest = .none
  }

  var generation: StoreGeneration { format.generation }
  /// The name of the file in the present generation.
  var name: LogFileName { LogFileName(stem: stem, generation) }

  /// The name that the file has now, perhaps of an earlier generation; `nil` if there is no file.
  var fileName: LogFileName? { named.map { LogFileName(stem: stem, $0) } }

  /// The first step that is necessary before a batch may be added, and after a wipe.
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

  /// Wipes the partition: no record of it can be read any more, whatever happens to the file.
  ///
  /// - Parameter least: The earliest generation that may begin; it also follows the present one.
  mutating func wiped(to least: StoreGeneration = .first) {
    format.generation = max(generation.next, least)
    index = LogIndex()
    length = 0
    if named != nil { rest = .wiped }
    (damaged, known, nextCompaction) = ([], KnownDamage(), 0)
  }

  /// Returns the addition to the file for a batch; `nil` if it is too large.
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

  /// An addition is at the end of the file, and on the disk.
  mutating func added(_ addition: Addition) {
    index.apply(addition.changes, of: addition.frame)
    length = addition.frame.upperBound
  }

  /// An addition failed, so that nobody knows how much of it was written.
  mutating func additionFailed() {
    rest = .unfinished
  }

  /// These places of the file were found damaged; rewriting the file omits them.
  mutating func found(damage: [Range<Int>]) {
    for place in damage {
      damaged.insert(place)
      guard known.ranges.insert(place).inserted else { continue }
      let text = "\(name.text) at \(place.lowerBound)"
      known.unreported.append(StoreDamage(place: text, byteCount: place.count))
    }
  }

  /// The damage that was found so far, for a log that is opened again; `nil` if there was none.
  var knownDamage: KnownDamage? {
    known.ranges.isEmpty && known.unreported.isEmpty ? nil : known
  }

  /// Whether the file may be removed: it has no record, and no damage that is still to be reported.
  var isEmpty: Bool { index.locations.isEmpty && !isErasing && knownDamage == nil }

  /// Returns the damage that was not reported yet: each is reported once.
  mutating func reportDamage() -> [StoreDamage] {
    defer { known.unreported = [] }
    return known.unreported
  }

  /// Returns values from the bytes of their frame; `nil` if the frame is damaged.
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

  /// The file could not be replaced; it is tried again when the file has grown by half.
  mutating func compactionFailed() {
    nextCompaction = length + max(length / 2, waste)
  }

  /// The file was replaced by one with this content.
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
