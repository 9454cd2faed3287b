import Testing

@testable import StreamQueryInspector

/// Which pages have a place, and whether somebody is there.
@Suite struct PagePresenceTests {
  @Test func theOldestPageOfSixHasNoPlace() {
    var presence = PagePresence()
    #expect(!presence.hasPages)
    let pages = (0..<6).map { _ in presence.came() }
    #expect(pages.map(presence.hasPlace) == [false, true, true, true, true, true])
    presence.left(pages[3])
    let next = presence.came()
    let have = (pages + [next]).map(presence.hasPlace)
    #expect(have == [false, true, true, false, true, true, true])
    // One that had no place any more leaves none free.
    presence.left(pages[0])
    _ = presence.came()
    #expect(!presence.hasPlace(pages[1]))
  }

  @Test func anAbsenceLastsUntilAPageComes() throws {
    var presence = PagePresence()
    let page = presence.came()
    let none = presence.absenceBegan()
    #expect(none == nil)
    presence.left(page)
    let absences = [presence.absenceBegan(), presence.absenceBegan()]
    let (first, second) = (try #require(absences[0]), try #require(absences[1]))
    #expect(!presence.hasPages && !presence.lasts(first) && presence.lasts(second))
    presence.left(presence.came())
    #expect(!presence.lasts(second))
  }
}
