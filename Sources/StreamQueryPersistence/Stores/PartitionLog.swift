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

  /// What is added to the file for a batch.
  struct Addition {
    var bytes: [UInt8]
    fileprivate var changes: [LogFormat.Change]
    fileprivate var frame: Range<Int>
  }

  /// What a log is told of when it is opened again: the damage that was found before.
  struct KnownDamage {
    var places: Set<Range<Int>> = []
    var unreported: [StoreDamage] = []
  }

  private enum Rest {
    case none
    /// Bytes of a batch that was not acknowledged: cut off before the next one.
    case unfinished
    /// Of an earlier generation.
    case wiped
    /// Cut off, but perhaps not yet on the disk.
    case erased
  }

  /// The partition, as it is written in the names of its files.
  let stem: String
  /// A file is rewritten if at least this many bytes, and half of it, are not needed any more.
  let waste: Int
  /// The format of the frames of the present generation.
  private(set) var format: LogFormat
  private(set) var index = LogIndex()
  /// The bytes of the file that are acknowledged; what follows them has no meaning.
  private(set) var length = 0

  /// The generation in the file's name; `nil` if there is no file.
  private var named: StoreGeneration?
  private var isNameDurable = false
  private var rest = Rest.none
  /// The damaged places of the file.
  private var damaged: Set<Range<Int>> = []
  /// The damaged places that were found before, also when the file was opened before.
  private var known: KnownDamage
  /// The length below which rewriting is not tried again, since it failed.
  private var nextCompaction = 0

  /// A partition that has no file.
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

  /// Its file, of the present generation, was found and read.
  mutating func opened(_ found: LogRecovery, bytes: Int) {
    named = generation
    restored(found)
    switch found.origin {
    case .wiped: rest = .wiped
    case .empty, .present, .otherVersion: rest = bytes > found.end ? .unfinished : .none
    }
  }

  /// Its file was created, in the present generation and with nothing in it.
  mutating func created() {
    named = generation
    isNameDurable = false
    rest = .none
  }

  var generation: StoreGeneration { format.generation }
  /// The name of the file in the present generation.
  var name: LogFileName { LogFileName(stem: stem, generation) }

  /// The name that the file still has; `nil` if there is none.
  var fileName: LogFileName? { named.map { LogFileName(stem: stem, $0) } }

  /// The first thing to do to the file before a batch may be added, and after a wipe.
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

  // MARK: What happened

  /// The partition is wiped: from now on nothing of it is readable, whatever becomes of the file.
  ///
  /// - Parameter least: The generation begins that follows the present one, and no earlier one than this.
  mutating func wiped(to least: StoreGeneration = .first) {
    format.generation = max(generation.next, least)
    index = LogIndex()
    length = 0
    if named != nil { rest = .wiped }
    (damaged, known, nextCompaction) = ([], KnownDamage(), 0)
  }

  /// Returns what to add to the file for a batch; `nil` if it is too large.
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

  /// An addition is durable at the end of the file.
  mutating func added(_ addition: Addition) {
    index.apply(addition.changes, of: addition.frame)
    length = addition.frame.upperBound
  }

  /// An addition failed: nobody knows how much of it was written.
  mutating func additionFailed() {
    rest = .unfinished
  }

  /// These places of the file are damaged; rewriting it leaves out what cannot be read anyway.
  mutating func found(damage: [Range<Int>]) {
    for place in damage {
      damaged.insert(place)
      guard known.places.insert(place).inserted else { continue }
      let text = "\(name.text) at \(place.lowerBound)"
      known.unreported.append(StoreDamage(place: text, byteCount: place.count))
    }
  }

  /// What to tell the log when it is opened again; `nil` if nothing was ever damaged.
  var knownDamage: KnownDamage? {
    known.places.isEmpty && known.unreported.isEmpty ? nil : known
  }

  /// Whether the file can go, since no record is lost with it and nobody has to be told of one.
  var isEmpty: Bool { index.places.isEmpty && !isErasing && knownDamage == nil }

  /// Returns the damage that was not reported yet: each is reported once.
  mutating func reportDamage() -> [StoreDamage] {
    defer { known.unreported = [] }
    return known.unreported
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
    (damaged, known.places) = ([], [])
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
