#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Testing

import StreamQuery
@testable import StreamQueryPersistence

/// A file after anything that can happen to its bytes.
struct LogFormatTests {
  let changes: [ShelfChange] = [
    .put(["a": "1", "b": "one"]),
    .put(["a": "2"], removing: ["b", "c"]),
    .put(["b": "", "": "empty key", "é": "ü"]),
    .remove("a"),
    .put(["a": String(repeating: "long ", count: 10)]),
  ]

  /// What the first changes come to, without some of them.
  func shelf(_ count: Int, without left: Range<Int> = 0..<0) -> Shelf {
    var shelf = Shelf()
    for (index, change) in changes.prefix(count).enumerated() where !left.contains(index) {
      shelf.apply(change)
    }
    return shelf
  }

  @Test func aFileHoldsWhatItsBatchesComeTo() {
    let (bytes, _) = logBytes(changes)
    let (found, shelf) = recovered(bytes)
    expectEqual(shelf, self.shelf(5))
    expectEqual(found.origin, .present)
    expectEqual(found.end, bytes.count)
    expectEmpty(found.damage)
  }

  @Test func aFileThatEndsAnywhereHoldsTheBatchesThatEndBeforeAndIsNotDamaged() {
    let (bytes, ends) = logBytes(changes)
    for count in 0...bytes.count {
      let (found, shelf) = recovered(Array(bytes.prefix(count)))
      let whole = ends.lastIndex { $0 <= count }
      expectEqual(shelf, self.shelf(whole ?? 0), "\(count) bytes")
      expectEqual(found.end, whole.map { ends[$0] } ?? 0, "\(count) bytes")
      expectEqual(found.origin, whole == nil ? .empty : .present, "\(count) bytes")
      expectEmpty(found.damage, "\(count) bytes")
    }
  }

  @Test func aChangedBitAnywhereCostsItsBatchAndIsReported() {
    let (bytes, ends) = logBytes(changes)
    for place in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[place] ^= 1 << bit
        let (found, shelf) = recovered(changed)
        let batch = ends.firstIndex { place < $0 } ?? 0
        let expected =
          batch == 0 ? self.shelf(5) : self.shelf(5, without: batch - 1..<batch)
        expectEqual(shelf, expected, "bit \(bit) of byte \(place)")
        expectEqual(found.damage.count, 1, "bit \(bit) of byte \(place)")
        expectEqual(found.damage.first?.contains(place), true, "bit \(bit) of byte \(place)")
      }
    }
  }

  @Test func bytesThatAreGoneOrTooManyCostTheBatchesAroundThem() {
    let (bytes, ends) = logBytes(changes)
    for place in bytes.indices {
      let batch = ends.firstIndex { place < $0 } ?? 0
      var less = bytes
      less.remove(at: place)
      var more = bytes
      more.insert(0xF5, at: place)
      // Frames know their place, so those behind are lost too.
      let before = shelf(max(batch - 1, 0))
      expectEqual(recovered(less).shelf, before, "without byte \(place)")
      expectEqual(recovered(more).shelf, before, "with a byte before \(place)")
    }
  }

  @Test func lostSectorsCostTheBatchesThatTheyTouch() {
    let (bytes, ends) = logBytes(changes)
    for first in ends.dropLast().indices {
      for last in first..<changes.count {
        var changed = bytes
        for place in ends[first]..<ends[last + 1] { changed[place] = 0 }
        let (found, shelf) = recovered(changed)
        expectEqual(shelf, self.shelf(5, without: first..<last + 1), "\(first)...\(last)")
        expectEqual(found.damage, [ends[first]..<ends[last + 1]], "\(first)...\(last)")
      }
    }
  }

  @Test func framesOfAnotherPartitionOrGenerationAreNone() {
    let (bytes, _) = logBytes(changes, generation: 1)
    let (other, otherShelf) = recovered(bytes, partition: "other", generation: 1)
    expectEqual(otherShelf, Shelf(generation: 1))
    expectEqual(other.damage.count, 1)
    let (wiped, wipedShelf) = recovered(bytes, generation: 2)
    expectEqual(wipedShelf, Shelf(generation: 2))
    expectEqual(wiped.origin, .wiped)
    expectEmpty(wiped.damage)
    let (earlier, earlierShelf) = recovered(bytes, generation: 0)
    expectEqual(earlierShelf, Shelf())
    expectEqual(earlier.origin, .present)
    expect(!earlier.damage.isEmpty)
  }

  @Test func aCopyOfTheFileInsideOfADamagedValueIsNoPartOfIt() {
    let format = LogFormat(.main, .first)
    let copy = logBytes([.put(["a": "old"])]).bytes
    var bytes = format.header()
    let value = StoreRecord(key: "k", value: Data(copy + copy))
    expect(format.append(puts: [value], to: &bytes, whichBeginAt: 0) != nil)
    expectEqual(recovered(bytes).found.index.locations.keys.sorted(), ["k"])
    bytes[LogFormat.headerSize] ^= 1
    expectEqual(recovered(bytes).shelf, Shelf())
  }

  @Test func aLaterVersionIsKnownForWhatItIsWhateverFollows() {
    let bytes = laterVersion(of: LogFormat(.main, .first).header())
    let (found, shelf) = recovered(bytes + [1, 2, 3])
    expectEqual(found.origin, .otherVersion)
    expectEqual(shelf, Shelf())
  }

  @Test func valuesAreSlicesOfWhatWasRead() throws {
    let data = Data(logBytes(changes).bytes)
    let found = LogRecovery(data, LogFormat(.main, .first))
    let range = data.withUnsafeBytes { bytes in
      let start = UInt(bitPattern: bytes.baseAddress)
      return start..<start + UInt(bytes.count)
    }
    for record in found.records(in: data) where !record.value.isEmpty {
      #expect(record.value.withUnsafeBytes { range.contains(UInt(bitPattern: $0.baseAddress)) })
    }
    // A slice does not begin at zero.
    let slice = (Data([1, 2, 3]) + data).dropFirst(3)
    let records = LogRecovery(slice, LogFormat(.main, .first)).records(in: slice)
    expectEqual(records, found.records(in: data))
  }

  @Test func anImageHasTheRecordsInFramesOfALimitedSize() {
    let format = LogFormat(.main, .first)
    let records = (0..<100).map { record("key \($0)", String(repeating: "x", count: $0 * 40)) }
    let bytes = LogImage.of(records, format) ?? []
    let data = Data(bytes)
    let found = LogRecovery(data, format)
    expectEqual(found.records(in: data), records)
    expectEmpty(found.damage)
    let frames = Set(found.index.locations.values.map(\.frame))
    #expect(frames.count > 10)
    #expect(frames.allSatisfy { $0.count <= LogImage.frameLimit + LogFormat.frameHeaderSize })
    let overhead = LogFormat.headerSize + frames.count * LogFormat.frameHeaderSize
    expectEqual(found.index.liveBytes, bytes.count - overhead)
  }

  /// Bits of two words of eight bytes that a checksum of multiplications did not find: 200 of 200.
  @Test func threeChangedBitsWithinSixteenBytesAreFound() {
    let value = String((0..<1_640).map { Character(Unicode.Scalar(UInt8(97 + $0 * 7 % 26))) })
    let (bytes, ends) = logBytes([.put(["k": value])])
    let body = ends[0] + LogFormat.frameHeaderSize
    for number in 0..<200 {
      let word = body + 16 + number * 8
      var changed = bytes
      for place in [word + 7, word + 11, word + 15] { changed[place] ^= 0x80 }
      let (found, shelf) = recovered(changed)
      expectEqual(found.damage, [ends[0]..<ends[1]], "bytes from \(word)")
      expectEqual(shelf, Shelf(), "bytes from \(word)")
    }
  }

  @Test func anAdditionSaysWhatReadingItFinds() {
    let format = LogFormat(.main, StoreGeneration(number: 3))
    var bytes = format.header()
    for change in changes {
      let start = bytes.count
      let batch = change.batch(3)
      let said = format.append(
        puts: batch.puts,
        removals: batch.removals,
        to: &bytes,
        whichBeginAt: 0
      )
      let found = bytes.withUnsafeBytes { bytes in
        format.bodyLength(of: bytes, at: start, offset: 0).flatMap {
          format.changes(in: bytes, at: start, length: $0, offset: 0)
        }
      }
      expect(said?.map(\.key) == found?.map(\.key) && said?.map(\.value) == found?.map(\.value))
    }
  }

  private func record(_ key: String, _ value: String) -> StoreRecord {
    StoreRecord(key: key, value: Data(value.utf8))
  }
}
