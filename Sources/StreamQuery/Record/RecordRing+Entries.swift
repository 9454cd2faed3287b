// Events of entries and of runs, and the indices of entries in the ring's table of keys.

extension RecordRing {
  /// Gives an entry that was created an index in ``keys``, and a number.
  @inline(__always)
  mutating func added(_ slot: Int, _ key: EntryKey, _ state: RecordedState) {
    while places.count <= slot { places.append(.max) }
    lastKey &+= 1
    let row = Key(number: lastKey, present: state)
    if let free = freePlaces.popLast() {
      let place = Int(truncatingIfNeeded: free)
      (keys[place], names[place]) = (row, key)
      places[slot] = free
    } else {
      places[slot] = UInt32(truncatingIfNeeded: keys.count)
      keys.extend(with: row)
      names.append(key)
    }
  }

  /// Appends the event that an entry was created, with the options of its query if it has one.
  mutating func added(
    _ slot: Int,
    _ key: EntryKey,
    _ state: RecordedState,
    _ terms: QueryTerms?,
    at time: Int64
  ) {
    if begun != nil { logBegun(at: time) }
    var state = state
    if let terms { state.options = optionsNumber(of: terms) }
    added(slot, key, state)
    let place = places[slot]
    keys[Int(truncatingIfNeeded: place)].rowCount = 1
    foldOldest()
    store(RecordRow(time: time, subject: place, code: .added, state: state))
    hasNews = true
  }

  /// The index of an entry in ``keys``; `nil` if the entry is not known.
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

  /// Begins an event of an entry; ``reached(_:_:at:)`` completes the event with the entry's state.
  @inline(__always)
  mutating func began(
    _ code: RecordCode,
    of slot: Int,
    detail: UInt32 = 0,
    option: UInt8 = 0,
    at time: Int64
  ) {
    if begun != nil { logBegun(at: time) }
    begun = Begun(slot: slot, detail: detail, code: code, option: option)
    hasNews = true
  }

  /// Appends the event that has begun, if any, before its state is known, because another event follows.
  @inline(never)
  mutating func logBegun(at time: Int64) {
    guard let event = begun else { return }
    begun = nil
    guard let place = place(of: event.slot) else { return }
    logUnfinished(event.code, place, detail: event.detail, option: event.option, at: time)
  }

  /// Records the state of an entry; this method adds the number of the entry's options to the state.
  ///
  /// Nearly always, the state completes the event that has begun. Otherwise see ``changed(_:_:at:)``.
  @inline(__always)
  mutating func reached(_ state: RecordedState, _ slot: Int, at time: Int64) {
    guard let place = place(of: slot) else { return }
    var state = state
    state.options = keys[place].present.options
    guard let begun, begun.slot == slot, !duties.contains(.unfinished) else {
      return changed(place, state, at: time)
    }
    // This call comes first, so that it leaves the registers free for the code below.
    foldOldest()
    store(
      RecordRow(
        time: time,
        subject: UInt32(truncatingIfNeeded: place),
        detail: begun.detail,
        code: begun.code,
        option: begun.option,
        state: state
      )
    )
    keys[place].present = state
    keys[place].rowCount &+= 1
    self.begun = nil
    hasNews = !duties.isEmpty
  }

  /// Whether events of an entry in this transaction still wait for the entry's state.
  func awaitsState(of slot: Int) -> Bool {
    begun?.slot == slot || place(of: slot).map { keys[$0].unfinished >= transactionFirst } ?? false
  }

  /// Appends an event of an entry; the state is filled in once it is known.
  mutating func logUnfinished(
    _ code: RecordCode,
    _ place: Int,
    detail: UInt32 = 0,
    option: UInt8 = 0,
    at time: Int64
  ) {
    let subject = UInt32(truncatingIfNeeded: place)
    logUnfinished(
      RecordRow(time: time, subject: subject, detail: detail, code: code, option: option)
    )
  }

  /// Appends a row of an entry, perhaps with an extra; the state is filled in once it is known.
  mutating func logUnfinished(_ row: RecordRow, _ extra: RecordRow.Extra? = nil) {
    logBegun(at: row.time)
    duties.insert(.unfinished)
    let place = Int(truncatingIfNeeded: row.subject)
    if keys[place].unfinished < transactionFirst { keys[place].unfinished = next }
    logFinished(row, extra)
  }

  /// Sets the number of an entry's options.
  mutating func setOptions(_ number: UInt32, of place: Int) {
    keys[place].present.options = number
  }

  /// Appends an event of an entry with the entry's known state.
  mutating func logFinished(_ row: RecordRow, _ extra: RecordRow.Extra? = nil) {
    var row = row
    row.state = keys[Int(truncatingIfNeeded: row.subject)].present
    log(row, extra)
  }

  /// Records the state of an entry.
  ///
  /// The events of this transaction that have no state yet get this state. If there are none, and the state
  /// differs from the one before, the change is an event of its own.
  mutating func changed(_ place: Int, _ state: RecordedState, at time: Int64) {
    logBegun(at: time)
    guard let start = keys[place].reached(state, in: transactionFirst) else { return }
    guard start == 0 else { return finish(place, from: start, state) }
    hasNews = true
    foldOldest()
    store(
      RecordRow(
        time: time,
        subject: UInt32(truncatingIfNeeded: place),
        code: .changed,
        state: state
      )
    )
  }

  private mutating func finish(_ place: Int, from start: UInt64, _ state: RecordedState) {
    // Events of this transaction that were lost already would have had this state, so it is also
    // the state before the first row.
    if start < first { keys[place].base = state }
    var event = max(start, first)
    while event < next {
      let position = position(of: event)
      let row = rows[position]
      if row.subject == UInt32(truncatingIfNeeded: place), row.code.isOfEntry {
        rows[position].state = state
      }
      event += 1
    }
  }

  /// Appends the event that an entry is gone, and frees the entry's slot.
  mutating func removed(_ slot: Int, _ reason: QueryEvent.RemovalReason, at time: Int64) {
    logBegun(at: time)
    guard let place = place(of: slot) else { return }
    keys[place].present = RecordedState()
    keys[place].unfinished = 0
    places[slot] = .max
    for run in layers.removeValue(forKey: UInt32(truncatingIfNeeded: place)) ?? [] {
      endedLayer(of: run)
    }
    var row = RecordRow(time: time, subject: UInt32(truncatingIfNeeded: place), code: .removed)
    row.option = reason.recordedCode
    log(row)
  }

  /// Gives entries their new slots; the entries that are not in `kept` are gone.
  mutating func moved(_ kept: [Int32], at time: Int64) {
    logBegun(at: time)
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
  /// Gives a number to a run that was requested.
  mutating func runStarted(_ run: Run) -> UInt32 {
    lastRun &+= 1
    runs[lastRun] = run
    runNumbers[run.serial] = lastRun
    return lastRun
  }

  /// The number of a run; 0 if it is not known.
  func number(ofRun serial: UInt64) -> UInt32 { runNumbers[serial] ?? 0 }

  /// Appends the event that a run changes an entry optimistically, or does so no more.
  ///
  /// The optimistic changes of a run may outlive the run. The ring keeps the run until its changes end,
  /// because the event of that end names the run.
  mutating func logLayer(_ code: RecordCode, _ place: Int, of run: UInt32, at time: Int64) {
    logUnfinished(code, place, detail: run, at: time)
    let place = UInt32(truncatingIfNeeded: place)
    if code == .layered {
      layers[place, default: []].append(run)
      runs[run]?.layerCount += 1
    } else if let index = layers[place]?.firstIndex(of: run) {
      layers[place]?.remove(at: index)
      if layers[place]?.isEmpty == true { layers[place] = nil }
      endedLayer(of: run)
    }
  }

  private mutating func endedLayer(of run: UInt32) {
    runs[run]?.layerCount -= 1
    forgetIfUnneeded(run)
  }

  mutating func forgetIfUnneeded(_ number: UInt32) {
    guard let run = runs[number], !run.isNeeded else { return }
    release(run.key.storage)
    runs[number] = nil
    runNumbers[run.serial] = nil
  }
}
