import Testing

@testable import StreamQueryInspector

/// Which pages have a place, and whether somebody is there.
struct PagePresenceTests {
  @Test func theOldestPageOfSixHasNoPlace() {
    var presence = PagePresence()
    #expect(!presence.hasPages)
    let pages = (0..<6).map { _ in presence.came(to: 1) }
    #expect(pages.map(presence.hasPlace) == [false, true, true, true, true, true])
    presence.left(pages[3])
    let next = presence.came(to: 1)
    let have = (pages + [next]).map(presence.hasPlace)
    #expect(have == [false, true, true, false, true, true, true])
    // One that had no place any more leaves none free.
    presence.left(pages[0])
    _ = presence.came(to: 1)
    #expect(!presence.hasPlace(pages[1]))
  }

  /// What the next seconds bring: after how many of them nobody is there, and why.
  private func absences(
    in seconds: Int,
    _ presence: inout PagePresence
  ) -> [Int: PagePresence.Absence] {
    var found: [Int: PagePresence.Absence] = [:]
    for second in 1...seconds { found[second] = presence.secondPassed() }
    return found
  }

  @Test func nobodyIsThereAfterTenSecondsWithoutAPageAndAMinuteWithoutAnAnswer() {
    var presence = PagePresence()
    let begins = [presence.watchBegan(), presence.watchBegan()]
    #expect(begins == [true, false])
    let page = presence.came(to: 1)
    let silent = absences(in: 130, &presence)
    #expect(silent == [60: .noAnswer, 120: .noAnswer])
    presence.left(page)
    let absent = absences(in: 25, &presence)
    #expect(absent == [10: .noPage, 20: .noPage])
  }

  @Test func aPageThatComesOrAnswersIsThere() {
    var presence = PagePresence()
    _ = presence.watchBegan()
    var found = [absences(in: 9, &presence)]
    let page = presence.came(to: 1)
    found.append(absences(in: 59, &presence))
    presence.answered()
    found.append(absences(in: 59, &presence))
    presence.left(page)
    presence.answered()
    found.append(absences(in: 9, &presence))
    #expect(found == [[:], [:], [:], [:]])
    presence.watchEnded()
    let begins = presence.watchBegan()
    let absent = absences(in: 10, &presence)
    #expect(begins && absent == [10: .noPage])
  }
}
