import Testing

import StreamQuery
@testable import StreamQueryPersistence

struct LogFileNameTests {
  @Test func anyNameBecomesOneThatEveryFileSystemTakes() {
    let names = [
      "", "main", "Main", "MAIN", "a b", "a%20b", "a/b", "../a", "..", ".", "/", "con", "a@1",
      "a.log",
      "a\u{0}b", "é", "😀", "~", "a~", "a:b", "a\\b", "\n", String(repeating: "x", count: 121),
      String(repeating: "x", count: 122), String(repeating: "ü", count: 5000),
    ]
    let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789-_%~@.")
    var texts: Set<String> = []
    for name in names {
      let text = LogFileName(StorePartition(name), .first).text
      #expect(text.allSatisfy(allowed.contains), "\(name)")
      #expect(text.utf8.count <= 180, "\(name)")
      texts.insert(text)
    }
    expectEqual(texts.count, names.count)
  }

  /// Two names that a cut and a checksum do not tell apart: three bits are different, and the checksum that named
  /// files once was the same.
  @Test func longNamesThatAreAlikeHaveTwoFiles() {
    let beginning = "tenant-" + String(repeating: "0", count: 81)
    let names = [
      "33o_oudwve7-u__wq1hcckz6iqv6ucdujjbqhntic59q05d1s",
      "33o_oudwve7-u__wq1hcckzviqvvucd5jjbqhntic59q05d1s",
    ].map { StorePartition(beginning + $0) }
    expectEqual(Set(names.map(LogFileName.stem)).count, 2)
    expectEqual(
      LogFileName.stem(names[0]),
      "~" + SHA256.digest(of: names[0].name.utf8).map(hexadecimal).joined()
    )
  }

  @Test func noPartitionHasTheFileOfPartitionsWithoutAFile() {
    for name in ["", "~", "%7e", String(repeating: "~", count: 200)] {
      expect(LogFileName.stem(StorePartition(name)) != LogFileName.floorStem)
    }
  }

  private func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }

  @Test func equalNamesHaveOneFile() {
    expectEqual(LogFileName("\u{E9}", .first), LogFileName(StorePartition("e\u{301}"), .first))
  }

  @Test func aNameIsReadBack() {
    for name in ["", "a@1", "main", String(repeating: "long", count: 100)] {
      let written = LogFileName(StorePartition(name), StoreGeneration(number: 42))
      expectEqual(LogFileName(written.text), written)
      expectNil(LogFileName(written.replacement))
    }
  }

  @Test(arguments: [
    "", ".log", "main.log", "main@.log", "main@-1.log", "main@01.log", "main@1", "main@1.LOG",
    "a@b@1.log", "main@18446744073709551615.log", "main@18446744073709551616.log", "lock",
  ])
  func otherFilesAreLeftAlone(_ name: String) {
    expectNil(LogFileName(name))
  }
}
