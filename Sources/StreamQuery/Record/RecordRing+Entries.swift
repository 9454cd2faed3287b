// The entries that events are about.

extension RecordRing {
  /// An entry was made.
  mutating func added(_ slot: Int, _ key: EntryKey, _ state: RecordedState) {
    while places.count <= slot { places.append(.max) }
    lastKey &+= 1
    let place: UInt32
    if let free = freePlaces.popLast() {
      place = free
    } else {
      place = UInt32(truncatingIfNeeded: keys.count)
      keys.append(Key())
    }
    keys[Int(truncatingIfNeeded: place)].key = key
    keys[Int(truncatingIfNeeded: place)].number = lastKey
    keys[Int(truncatingIfNeeded: place)].present = state
    places[slot] = place
  }

  /// The place of an entry; `nil` if it is not known.
  @inline(__always)
  func place(of slot: Int) -> Int? {
    guard slot < places.count, places[slot] != .max else { return nil }
    return Int(truncatingIfNeeded: places[slot])
  }

  /// The slot of the entry of a key; `nil` if it is gone.
  func slot(ofKey number: Int) -> Int? {
    guard let number = UInt32(exactly: number) else { return nil }
    return places.firstIndex { $0 != .max && keys[Int(truncatingIfNeeded: $0)].number == number }
  }

  /// Appends an event of an entry, whose state is filled in once it is known.
  @inline(__always)
  mutating func logUnfinished(_ code: RecordCode, _ place: Int, detail: UInt32 = 0, at time: Int64)
  {
    let state = keys[place].began(next, in: transactionFirst)
    store(
      RecordRow(
        time: time,
        subject: UInt32(truncatingIfNeeded: place),
        detail: detail,
        code: code,
        state: state
      )
    )
  }

  /// Appends a row of an entry, perhaps with an extra, whose state is filled in once it is known.
  mutating func logUnfinished(_ row: RecordRow, _ extra: RecordRow.Extra? = nil) {
    let place = Int(truncatingIfNeeded: row.subject)
    if keys[place].unfinished < transactionFirst { keys[place].unfinished = next }
    if let extra {
      var row = row
      row.state = keys[place].present
      log(row, extra)
    } else {
      logFinished(row)
    }
  }

  /// An entry has other options.
  mutating func setOptions(_ number: UInt32, of place: Int) {
    keys[place].present.options = number
  }

  /// Appends an event of an entry with the state that is known.
  mutating func logFinished(_ row: RecordRow) {
    var row = row
    row.state = keys[Int(truncatingIfNeeded: row.subject)].present
    log(row)
  }

  /// An entry has a state.
  ///
  /// It becomes that of the events of this transaction that still have none. Without any, and if the state is
  /// another one than before, it is an event of its own.
  @inline(__always)
  mutating func changed(_ place: Int, _ state: RecordedState, at time: Int64) {
    guard let start = keys[place].reached(state, in: transactionFirst) else { return }
    guard start == 0 else { return finish(place, from: start, state) }
    store(
      RecordRow(
        time: time,
        subject: UInt32(truncatingIfNeeded: place),
        code: .changed,
        state: state
      )
    )
  }

  @inline(__always)
  private mutating func finish(_ place: Int, from start: UInt64, _ state: RecordedState) {
    // The events of this transaction that are lost already would have it too.
    if start < first { keys[place].base = state }
    var index = rows.count - Int(truncatingIfNeeded: next - max(start, first)) + oldest
    if index >= rows.count { index -= rows.count }
    var rest = next - max(start, first)
    while rest > 0 {
      if rows[index].subject == UInt32(truncatingIfNeeded: place), rows[index].code.isOfEntry {
        rows[index].state = state
      }
      index += 1
      if index == rows.count { index = 0 }
      rest -= 1
    }
  }

  /// An entry is gone.
  mutating func removed(_ slot: Int, _ reason: QueryEvent.RemovalReason, at time: Int64) {
    guard let place = place(of: slot) else { return }
    keys[place].present = RecordedState()
    keys[place].unfinished = 0
    places[slot] = .max
    var row = RecordRow(time: time, subject: UInt32(truncatingIfNeeded: place), code: .removed)
    row.option = reason.recordedCode
    log(row)
  }

  /// Entries moved to other slots, and all others are gone.
  mutating func moved(_ kept: [Int32], at time: Int64) {
    var moved: [UInt32] = []
    moved.reserveCapacity(kept.count)
    for slot in kept.lazy.map(Int.init) {
      moved.append(slot < places.count ? places[slot] : .max)
      if slot < places.count { places[slot] = .max }
    }
    for slot in places.indices where places[slot] != .max { removed(slot, clearing, at: time) }
    places = moved
  }
}

// MARK: - Runs

extension RecordRing {
  /// A run was requested.
  mutating func runStarted(_ run: Run) -> UInt32 {
    lastRun &+= 1
    runs[lastRun] = run
    runNumbers[run.serial] = lastRun
    return lastRun
  }

  /// The number of a run; 0 if it is not known.
  func number(ofRun serial: UInt64) -> UInt32 { runNumbers[serial] ?? 0 }

  mutating func forgetIfUnneeded(_ number: UInt32) {
    guard let run = runs[number], !run.isNeeded else { return }
    garbage.append(run.key.storage)
    runs[number] = nil
    runNumbers[run.serial] = nil
  }
}
