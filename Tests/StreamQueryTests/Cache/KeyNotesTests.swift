import Testing

@testable import StreamQuery

struct KeyNotesTests {
  private typealias Note = KeyNotes.Note

  private var notes = KeyNotes()

  private func total(_ name: String, entry: UInt64? = nil) -> Note {
    notes.total(of: KeyNotes.Candidate(info: .absent(named(name)), entry: entry))
  }

  private func named(_ name: String) -> EntryKey { EntryKey(QueryKey<String>(name)) }
  private func prefix(_ name: String) -> EntryFilter { .prefix(named(name).key) }

  @Test mutating func theLatestOfEachKindCounts() {
    notes.record(Note(fence: 2), to: named("a"), since: 0)
    notes.record(Note(mark: 3, markedAt: 9), to: prefix("a"), newestEntry: 0)
    notes.record(Note(request: 4), to: named("a"), since: 0)
    notes.record(Note(fence: 5), to: named("b"), since: 0)
    expectEqual(total("a"), Note(fence: 2, request: 4, mark: 3, markedAt: 9))
    expectEqual(total("b"), Note(fence: 5))
    expectEqual(total("c"), Note())
    expectEqual(total("a").last, 4)
  }

  @Test mutating func whatAFilterSaysNeedsNoNotesOfItsKeys() {
    notes.record(Note(fence: 5), to: prefix("a"), newestEntry: 9)
    for place in 6..<2_000 as Range<UInt64> {
      notes.record(Note(fence: place), to: named("a"), since: 4)
    }
    expectEqual(notes.count, 1)
    // Named in the meantime, of another kind, or another key.
    notes.record(Note(fence: 7), to: named("a"), since: 6)
    expect(notes.count == 2 && total("a").fence == 7)
    notes.record(Note(request: 8), to: named("a"), since: 4)
    expectEqual(total("a").request, 8)
    notes.record(Note(fence: 9), to: named("b"), since: 4)
    expectEqual(notes.count, 3)
  }

  @Test mutating func theRemovalOfOneKeyIsANoteOfIt() {
    for place in 1...200 as ClosedRange<UInt64> {
      notes.record(Note(fence: place), to: .entry(named("a")), newestEntry: place)
    }
    expect(notes.count == 1 && !notes.isFull)
    expectEqual(total("a", entry: 1).fence, 200)
  }

  @Test mutating func tooManyNotesBecomeOneOfAllKeysAndNothingIsForgotten() {
    for manner in 0..<2 {
      notes = KeyNotes()
      notes.record(Note(mark: 1, markedAt: 5), to: named("a"), since: 0)
      notes.record(Note(fence: 2), to: .stale, newestEntry: 9)
      notes.record(Note(request: 3), to: named("b"), since: 0)
      var place: UInt64 = 3
      while !notes.isFull {
        place += 1
        if manner == 0 {
          notes.record(Note(fence: place), to: named("x\(place)"), since: 0)
        } else {
          notes.record(Note(fence: place), to: prefix("x\(place)"), newestEntry: 0)
        }
      }
      notes.generalize()
      expect(notes.count == 0 && !notes.isFull, "\(manner)")
      let all = Note(fence: place, request: 3, mark: 1, markedAt: 5)
      for entry in [nil, 1, 100] as [UInt64?] { expectEqual(total("z", entry: entry), all) }
    }
  }
}
