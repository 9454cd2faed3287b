/// A copy of a ring, or of its newest events, made under the lock; outside it, texts are made from the
/// copy.
struct RecordExcerpt: Sendable {
  /// How far a reader has read the events of a client.
  struct Position: Sendable {
    /// The number of the next event for the reader; 0 if it has read nothing.
    var event: UInt64 = 0
    var key: UInt32 = 0
    var run: UInt32 = 0
    var value: UInt64 = 0
    var base = QueryRecord.Base()
  }

  /// A key, with the state before the first event of the record.
  struct Key: Sendable {
    var number: UInt32
    var name: EntryKey
    var base: RecordedState
  }

  var date: Double
  var first: UInt64
  var lostCount: UInt64
  var base: QueryRecord.Base
  var rows: [RecordRow]
  var extras: [RecordRow.Extra]
  /// The numbers of keys, by the index of the key in the ring, which rows have as their subject.
  var numbers: [UInt32: UInt32] = [:]
  var keys: [Key] = []
  var runs: [(number: UInt32, run: RecordRing.Run)] = []
  var options: [(number: UInt32, terms: QueryTerms)] = []
  var values: [RecordedTexts.Row]
}

extension RecordRing {
  /// Copies the whole ring.
  func wholeExcerpt(lostCount: UInt64) -> RecordExcerpt {
    var excerpt = RecordExcerpt(
      date: date,
      first: first,
      lostCount: lostCount,
      base: base,
      rows: rows(since: first),
      extras: extras(since: first),
      values: values.rows(after: 0, first: first)
    )
    for place in keys.indices {
      guard let key = excerptKey(at: place) else { continue }
      excerpt.numbers[UInt32(truncatingIfNeeded: place)] = key.number
      excerpt.keys.append(key)
    }
    excerpt.runs = runs.map { (number: $0.key, run: $0.value) }
    excerpt.options = options.terms.map { (number: $0.key, terms: $0.value) }
    return excerpt
  }

  /// The key at an index of ``keys``; `nil` if the index is free.
  private func excerptKey(at place: Int) -> RecordExcerpt.Key? {
    names[place].map {
      RecordExcerpt.Key(number: keys[place].number, name: $0, base: keys[place].base)
    }
  }

  /// Copies the new events for a reader; the whole ring if the reader has missed some, or has read nothing.
  ///
  /// - Parameter position: How far the reader has read; this call sets it to the end of the newest event.
  /// - Returns: The copy; `nil` if there is nothing new for the reader.
  /// - Complexity: O(*n*) in the number of new events, unless some were missed.
  func excerpt(since position: inout RecordExcerpt.Position) -> RecordExcerpt? {
    let former = position
    position = RecordExcerpt.Position(
      event: next,
      key: lastKey,
      run: lastRun,
      value: values.last,
      base: present
    )
    guard former.event >= first else {
      return wholeExcerpt(lostCount: first - max(former.event, 1))
    }
    guard former.event < next || former.value < values.last else { return nil }
    var excerpt = RecordExcerpt(
      date: date,
      first: former.event,
      lostCount: 0,
      base: former.base,
      rows: rows(since: former.event),
      extras: extras(since: former.event),
      values: values.rows(after: former.value, first: first)
    )
    var usedOptions: Set<UInt32> = []
    for row in excerpt.rows {
      if row.code.isOfEntry {
        let place = Int(truncatingIfNeeded: row.subject)
        let number = keys[place].number
        if excerpt.numbers.updateValue(number, forKey: row.subject) == nil, number > former.key,
          let key = excerptKey(at: place)
        {
          excerpt.keys.append(key)
        }
        usedOptions.insert(row.state.options)
      }
      if row.code == .runStarted, let run = runs[row.subject] {
        excerpt.runs.append((number: row.subject, run: run))
      }
    }
    // The reader may have forgotten earlier options that no event used, so options in use are included
    // again.
    for number in usedOptions {
      if let terms = options.terms[number] {
        excerpt.options.append((number: number, terms: terms))
      }
    }
    return excerpt
  }
}
