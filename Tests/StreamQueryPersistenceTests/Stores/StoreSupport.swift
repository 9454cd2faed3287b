#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import StreamQuery
@testable import StreamQueryPersistence

/// What a partition holds: its generation, and text under keys.
struct Shelf: Hashable, CustomStringConvertible {
  var generation: UInt64 = 0
  var values: [String: String] = [:]

  mutating func apply(_ change: ShelfChange) {
    for key in change.removals { values[key] = nil }
    values.merge(change.puts) { $1 }
  }

  var description: String {
    "\(generation):" + values.sorted { $0.key < $1.key }.map { " \($0)=\($1)" }.joined()
  }
}

/// A batch of text.
struct ShelfChange: Hashable, Sendable {
  var puts: [String: String] = [:]
  var removals: [String] = []

  static func put(_ puts: [String: String], removing removals: [String] = []) -> Self {
    Self(puts: puts, removals: removals)
  }

  static func remove(_ keys: String...) -> Self { Self(removals: keys) }

  func batch(_ generation: UInt64) -> StoreBatch {
    StoreBatch(
      generation: StoreGeneration(number: generation),
      puts: puts.sorted { $0.key < $1.key }
        .map { StoreRecord(key: $0.key, value: Data($0.value.utf8)) },
      removals: removals
    )
  }
}

extension StoreContents {
  var shelf: Shelf {
    Shelf(
      generation: generation.number,
      values: Dictionary(
        records.map { ($0.key, String(decoding: $0.value, as: UTF8.self)) },
        uniquingKeysWith: { first, _ in first + " twice" }
      )
    )
  }
}

extension QueryStore {
  func shelf(_ partition: StorePartition = .main) async throws(QueryStoreError) -> Shelf {
    try await load(partition).shelf
  }

  /// Writes in the generation that the store has now.
  func write(
    _ change: ShelfChange,
    to partition: StorePartition = .main
  ) async throws(QueryStoreError) {
    let generation = try await load([], of: partition).generation.number
    try await write(change.batch(generation), to: partition)
  }
}

/// The bytes of a file that was written by these changes.
func logBytes(
  _ changes: [ShelfChange],
  partition: StorePartition = .main,
  generation: UInt64 = 0
) -> (bytes: [UInt8], ends: [Int]) {
  let format = LogFormat(partition, StoreGeneration(number: generation))
  var bytes = format.header()
  var ends = [bytes.count]
  for change in changes {
    let batch = change.batch(generation)
    _ = format.append(
      puts: batch.puts,
      removals: batch.removals,
      to: &bytes,
      whichBeginAt: 0
    )
    ends.append(bytes.count)
  }
  return (bytes, ends)
}

func recovered(
  _ bytes: [UInt8],
  partition: StorePartition = .main,
  generation: UInt64 = 0
) -> (found: LogRecovery, shelf: Shelf) {
  let generation = StoreGeneration(number: generation)
  let data = Data(bytes)
  let found = LogRecovery(data, LogFormat(partition, generation))
  let contents = StoreContents(generation: generation, records: found.records(in: data))
  return (found, contents.shelf)
}

/// The header of a file, as a later version of the library would have written it.
func laterVersion(of header: some Collection<UInt8>) -> [UInt8] {
  var bytes = Array(header)
  bytes[8] = UInt8(LogFormat.version) + 1
  let sum = bytes.withUnsafeBytes { CRC64.of(UnsafeRawBufferPointer(rebasing: $0[..<24])) }
  withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(24..<32, with: $0) }
  return bytes
}

/// A file of the partition `main` of version 1, with the value 1 under the key a.
let fileOfVersionOne: [UInt8] = Array(
  Data(
    base64Encoded: "U1Fsb2cNGgoBAAAAAAAAAAAAAAAAAAAAggKTPPL5vP3XUcP1CgAAAC//iY8hOi5JfJKngrgxdHsB"
      + "AAAAAQAAAGEx"
  ) ?? Data()
)
