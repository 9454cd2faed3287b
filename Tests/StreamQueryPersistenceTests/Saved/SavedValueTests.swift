import Testing

import StreamQuery
@testable import StreamQueryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The bytes of a record.
struct SavedValueTests {
  private let saved = SavedValue(
    Data([1, 2, 3]),
    updatedAt: 12.5,
    isInvalidated: false,
    version: "vé"
  )

  @Test("what goes in comes out, also from a slice")
  func roundTrip() throws {
    let slice = (Data([9, 9]) + saved.data + Data([9])).dropFirst(2).dropLast()
    for data in [saved.data, slice] {
      var read = try #require(SavedValue(data))
      expectEqual(read.value, Data([1, 2, 3]))
      expectEqual(read.updatedAt, 12.5)
      expectEqual(read.version, "vé")
      expect(!read.isInvalidated)
      read.isInvalidated = true
      expect(read.isInvalidated)
      expectEqual(read.value, Data([1, 2, 3]))
    }
  }

  @Test("a part stays one, whatever its lifetime and its mark", arguments: [false, true])
  func part(isPart: Bool) throws {
    for maxAge in [TimeSpan.infinite, TimeSpan(.hours(24)), TimeSpan(.seconds(1e9))] {
      let made = SavedValue(
        Data([1]),
        updatedAt: 0,
        isInvalidated: true,
        isPart: isPart,
        version: "",
        maxAge: maxAge
      )
      var read = try #require(SavedValue(made.data))
      read.isInvalidated = false
      expectEqual(read.isPart, isPart)
      expectEqual(read.hasLifetime, !maxAge.isInfinite)
    }
  }

  @Test("bytes that are too short or of another form are refused, and no byte crashes")
  func otherBytes() {
    for count in 0..<12 { expectNil(SavedValue(saved.data.prefix(count))) }
    expectNil(SavedValue(saved.data.prefix(14)))
    for place in saved.data.indices {
      for bit in 0..<8 {
        var data = saved.data
        data[place] ^= 1 << bit
        guard let read = SavedValue(data) else { continue }
        #expect(place > 0)
        _ = (read.value, read.version, read.updatedAt, read.isInvalidated)
      }
    }
  }

  @Test("a lifetime is never shorter than the age, and at most twice as long")
  func lifetime() {
    for seconds in [0.5, 1, 2, 3, 59, 64, 65, 3_600, 86_400, 1e8, 3e9] {
      let value = SavedValue(
        Data(),
        updatedAt: 1_000,
        isInvalidated: true,
        version: "",
        maxAge: TimeSpan(.seconds(seconds))
      )
      var other = value
      other.isInvalidated = false
      expect(value.isInvalidated && !other.isInvalidated)
      for value in [value, other] {
        expect(!value.isOver(at: 1_000 + seconds - 0.001), "\(seconds)")
        expect(value.isOver(at: 1_000 + max(1, 2 * seconds)), "\(seconds)")
        expect(!value.isOver(at: 0), "\(seconds)")
      }
    }
    expect(!saved.isOver(at: 1e15))
    let noDate = SavedValue(
      Data(),
      updatedAt: .nan,
      isInvalidated: false,
      version: "",
      maxAge: TimeSpan(.seconds(1))
    )
    expect(noDate.isOver(at: 0))
  }

  @Test("a record is young below its age, with a date that is a number")
  func isYoung() {
    let age = TimeSpan(.seconds(10))
    func isYoung(_ updatedAt: Double, _ age: TimeSpan) -> Bool {
      SavedValue(Data(), updatedAt: updatedAt, isInvalidated: false, version: "")
        .isYoung(for: age, at: 100)
    }
    expect(isYoung(90.5, age))
    expect(!isYoung(90, age))
    expect(isYoung(1_000, age))
    expect(!isYoung(.nan, age))
    expect(!isYoung(.infinity, age))
    expect(!isYoung(-.infinity, .infinite))
    expect(isYoung(-1e15, .infinite))
  }

  @Test("the version of a record is compared byte by byte")
  func isOfVersion() {
    expect(saved.isOf(version: "vé"))
    expect(!saved.isOf(version: "v"))
    expect(!saved.isOf(version: "ve\u{301}"))
  }
}
