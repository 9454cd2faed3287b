#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The records that can still be read from the bytes of a partition's file, even if some are damaged.
///
/// If the process or the machine stopped while it wrote a batch, the file ends with the beginning of a frame.
/// That batch was never acknowledged, so its bytes are cut off. Other bytes between frames are damage: the
/// search goes on at the next place where a frame begins.
struct LogRecovery {
  /// The state of a file, as its header shows it.
  enum Origin: Equatable {
    /// The file has no header yet, so no batch was acknowledged.
    case empty
    case present
    /// The file has records of a generation that a wipe has ended.
    case wiped
    case otherVersion
  }

  private(set) var origin = Origin.empty
  private(set) var index = LogIndex()
  /// The place where the next frame is written; the bytes after it belong to an unacknowledged batch.
  private(set) var end = 0
  /// The ranges of bytes that are neither a header nor a frame.
  private(set) var damage: [Range<Int>] = []

  /// Reads the whole file of a partition.
  ///
  /// - Parameters:
  ///   - bytes: The whole file.
  ///   - format: The format of the partition, with the generation in the file's name.
  init(_ bytes: Data, _ format: LogFormat) {
    bytes.withUnsafeBytes { scan($0, format) }
  }

  /// Returns the records, as slices of the file, in the order in which they were written.
  func records(in bytes: Data) -> [StoreRecord] {
    index.locations.sorted { $0.value.value.lowerBound < $1.value.value.lowerBound }.map {
      let start = bytes.startIndex
      let value = (start + $0.value.value.lowerBound)..<(start + $0.value.value.upperBound)
      return StoreRecord(key: $0.key, value: bytes[value])
    }
  }

  private mutating func scan(_ bytes: UnsafeRawBufferPointer, _ format: LogFormat) {
    guard bytes.count >= LogFormat.headerSize else { return }
    switch LogFormat.header(of: bytes) {
    case .otherVersion:
      origin = .otherVersion
      return
    case .generation(let generation) where generation < format.generation:
      origin = .wiped
      return
    case .generation(format.generation): origin = .present
    case .generation, .damaged:
      // The header is damaged, but the frames can be read, because the file's name also has the generation.
      origin = .present
      damage.append(0..<LogFormat.headerSize)
    }
    end = LogFormat.headerSize
    // Room is made for one record per 256 bytes: records are seldom shorter, and unused room is small
    // compared to the file.
    index.reserve(bytes.count / 256)
    while bytes.count - end >= LogFormat.frameHeaderSize {
      guard let length = format.bodyLength(of: bytes, at: end, offset: 0) else {
        guard let next = nextFrame(in: bytes, format) else {
          // The bytes at the end are damage, because an unfinished write would leave the beginning of a
          // frame. They are cut off as well.
          damage.append(end..<bytes.count)
          return
        }
        damage.append(end..<next)
        end = next
        continue
      }
      guard length <= bytes.count - end - LogFormat.frameHeaderSize else { return }
      let frame = end..<(end + LogFormat.frameHeaderSize + length)
      if let changes = format.changes(in: bytes, at: end, length: length, offset: 0) {
        index.apply(changes, of: frame)
      } else {
        damage.append(frame)
      }
      end = frame.upperBound
    }
  }

  private func nextFrame(in bytes: UnsafeRawBufferPointer, _ format: LogFormat) -> Int? {
    let last = bytes.count - LogFormat.frameHeaderSize
    guard end < last else { return nil }
    return (end + 1...last).first { format.bodyLength(of: bytes, at: $0, offset: 0) != nil }
  }
}
