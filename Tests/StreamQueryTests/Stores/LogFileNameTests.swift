import Testing

@testable import StreamQuery

@Suite struct LogFileNameTests {
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
    #expect(texts.count == names.count)
  }

  @Test func equalNamesHaveOneFile() {
    #expect(
      LogFileName("\u{E9}", .first) == LogFileName(StorePartition("e\u{301}"), .first)
    )
  }

  @Test func aNameIsReadBack() {
    for name in ["", "a@1", "main", String(repeating: "long", count: 100)] {
      let written = LogFileName(StorePartition(name), StoreGeneration(number: 42))
      #expect(LogFileName(written.text) == written)
      #expect(LogFileName(written.replacement) == nil)
    }
  }

  @Test(arguments: [
    "", ".log", "main.log", "main@.log", "main@-1.log", "main@01.log", "main@1", "main@1.LOG",
    "a@b@1.log", "main@18446744073709551615.log", "main@18446744073709551616.log", "lock",
  ])
  func otherFilesAreLeftAlone(_ name: String) {
    #expect(LogFileName(name) == nil)
  }
}
