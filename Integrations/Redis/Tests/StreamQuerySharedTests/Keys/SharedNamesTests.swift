import Testing

@testable import StreamQueryShared

struct SharedNamesTests {
  let names = SharedNames("n")

  @Test func tagsThatLookTheSameAreTheSameMark() {
    let (composed, apart) = ("caf\u{e9}", "cafe\u{301}")
    let marks = [composed, apart].map { Array(names.mark(ofTag: $0).text.utf8) }
    #expect(marks[0] == marks[1])
    let keys = [composed, apart].map { names.key("k", parts: "[]", tags: [$0], form: "f") }
    #expect(keys.map { $0.marks.map { Array($0.text.utf8) } }[0].last == marks[0])
    #expect(keys.map { $0.marks.map { Array($0.text.utf8) } }[1].last == marks[0])
  }

  @Test func formsAndNamespacesThatLookTheSameAreTheSameText() {
    let spaces = ["\u{e9}", "e\u{301}"].map { SharedNames($0) }
    let keys = ["\u{e9}", "e\u{301}"].flatMap { form in
      spaces.map { Array($0.key("k", parts: "[]", tags: [], form: form).text.utf8) }
    }
    #expect(Set(keys).count == 1)
  }

  @Test func theMarkOfAnEntryIsThatOfItsKeyInAnyForm() {
    for form in ["", "f", "1:é"] {
      let key = SharedNames("1:é").key("k:e", parts: "[]", tags: [], form: form)
      #expect(SharedNames.mark(ofEntry: key.text) == key.marks[0])
    }
  }

  @Test(
    arguments: [
      "", ":", "1", "x:a:e", "-1:a:e1:f:k", "1:a:k1:f:k", "2:a:e", "1:a:e9:f:k", "1:a:e1:f",
      "99999999999999999999:a:e1:f:k", "9223372036854775807:x", "1:a:e9223372036854775807:x",
      "1:a:e9223372036854775806:",
    ]
  )
  func noNamespaceHasSuchAnEntry(text: String) {
    #expect(SharedNames.mark(ofEntry: text) == nil)
  }
}
