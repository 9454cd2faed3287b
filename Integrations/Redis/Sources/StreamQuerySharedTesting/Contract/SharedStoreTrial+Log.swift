internal import StreamQueryShared

extension SharedStoreTrial {
  func versionsRise() async throws {
    var last = try await end().version
    let first = last
    let steps: [(String, SharedVersion)] = [
      ("a commit", try await put("1")),
      ("an invalidation", try await store.invalidate(key.marks)),
      ("an invalidation", try await store.invalidate([])),
      ("a write", try await write("2")),
    ]
    for (step, version) in steps {
      expect(version > last, "\(step) had version \(version) after \(last)")
      last = version
    }
    let store = store
    let versions = try await withThrowingTaskGroup(of: SharedVersion.self) { group in
      for index in 0..<20 {
        // The task needs no executor preference: a group's tasks inherit that of the test.
        group.addTask { try await store.invalidate([SharedMark("\(index)")]) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    expect(Set(versions).count == versions.count, "a version was given twice")
    let isRising = versions.allSatisfy { $0 > last }
    expect(isRising, "versions were given that are not after \(last), from \(first) on")
  }

  func logsChanges() async throws {
    let start = try await end()
    let lease = try await lead()
    let invalidated = [SharedMark("a"), SharedMark("é\u{0}")]
    let committed = try await commit("1", with: lease)
    try await store.abandon(try await lead(), failure: "no\n")
    try await store.abandon(try await lead(), failure: nil)
    let written = try await write("2")
    let version = try await store.invalidate(invalidated)
    let messages = try await messages(after: start)
    let kinds: [SharedMessage.Kind] = [
      .committed(key: key.text), .abandoned(key: key.text, failure: "no\n"),
      .abandoned(key: key.text, failure: nil), .written(key: key.text), .invalidated(invalidated),
    ]
    guard messages.map(\.kind) == kinds else {
      return saw("it told \(messages.map(\.kind)) instead of \(kinds)")
    }
    let versions = messages.map(\.version)
    expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 }, "versions did not rise")
    expect(
      [committed, written, version] == [versions[0], versions[3], versions[4]],
      "messages had other versions than what they tell of"
    )
    let position = SharedPosition(history: start.history, version: versions[2])
    let rest = try await self.messages(after: position)
    expect(rest == Array(messages[3...]), "from the third on, it told \(rest.map(\.kind))")
    expect(try await end().version == version, "its end was not its last message")
  }

  func wakesReaders() async throws {
    let position = try await end()
    let (store, long) = (store, long)
    var found: SharedChanges?
    let time = try await time {
      async let reading = store.changes(after: position, timeout: long)
      // After this sleep the reader most probably waits. A reader that begins later passes, too.
      try await sleep(for: short)
      _ = try await store.invalidate([])
      found = try await reading
    }
    expect(found?.messages.map(\.kind) == [.invalidated([])], "the reader got \(found as Any)")
    expect(found?.isGap == false, "the reader was told of a gap")
    expect(time < Self.limit, "the reader waited for \(time)")
  }

  func waitsNoLonger() async throws {
    let position = try await end()
    var found: SharedChanges?
    let time = try await time {
      found = try await store.changes(after: position, timeout: short)
    }
    expect(found == SharedChanges(messages: [], position: position), "it got \(found as Any)")
    expect(time < Self.limit, "it waited for \(time)")
    // The reader must wait as long as its caller allows: if a store returned at once, readers would
    // ask again and again.
    expect(time >= short - .milliseconds(10), "it waited only for \(time)")
  }

  func leavesWhenCancelled() async throws {
    let (store, long) = (store, long)
    let position = try await end()
    let time = await time {
      await withTaskGroup { group in
        // The task needs no executor preference: a group's tasks inherit that of the test.
        group.addTask {
          // The store may end the call in any way.
          _ = try? await store.changes(after: position, timeout: long)
        }
        // This is long enough for most readers to begin their wait. A reader that begins later is
        // cancelled at its start, and has to leave, too.
        try? await sleep(for: short)
        group.cancelAll()
      }
    }
    expect(time < Self.limit, "it left after \(time)")
  }

  func tellsOfGaps() async throws {
    _ = try await put("1")
    let end = try await end()
    var positions = [("another history", end), ("a version that was never given", end)]
    positions[0].1.history = SharedHistory("another")
    positions[1].1.version.milliseconds += 1_000_000_000
    for (what, position) in positions {
      let found = try await store.changes(after: position, timeout: .zero)
      expect(found.isGap, "it was told of no gap after \(what)")
      let next = try await store.changes(after: found.position, timeout: .zero)
      expect(!next.isGap, "it was told of a gap again after \(what)")
      expect(next.position.history == end.history, "it went on in another history")
    }
    let known = try await store.changes(after: end, timeout: .zero)
    expect(known == SharedChanges(messages: [], position: end), "after the end, it got \(known)")
  }

  func saysWhetherThereIsMore() async throws {
    var positions = [try await end()]
    for index in 0..<logLength {
      let version = try await store.invalidate([SharedMark("\(index)")])
      positions.append(SharedPosition(history: positions[0].history, version: version))
    }
    let last = positions[logLength]
    for (index, start) in positions.enumerated() where index % max(1, logLength / 20) == 0 {
      var position = start
      while true {
        let found = try await store.changes(after: position, timeout: .zero)
        if found.isGap { break }
        position = found.position
        let isAll = position == last
        expect(
          found.hasMore != isAll,
          "it said \(found.hasMore) where it had told up to \(position.version) of \(last.version)"
        )
        if isAll || found.messages.isEmpty { break }
      }
    }
    expect(try await !store.changes(after: nil, timeout: .zero).hasMore, "its end had more")
  }

  func losesNothingSilently() async throws {
    var positions = [try await end()]
    for index in 0..<logLength {
      let version = try await store.invalidate([SharedMark("\(index)")])
      positions.append(SharedPosition(history: positions[0].history, version: version))
    }
    for (index, position) in positions.enumerated() {
      let count = positions.count - 1 - index
      let isWanted = index < 10 || count < 10 || index % max(1, logLength / 20) == 0
      guard isWanted else { continue }
      let first = try await store.changes(after: position, timeout: .zero)
      if first.isGap { continue }
      let found = try await messages(after: position).count
      expect(found == count, "it got \(found) of \(count) messages, and was told of no gap")
    }
    let last = try await store.changes(after: positions[logLength], timeout: .zero)
    expect(!last.isGap, "it was told of a gap after the last message")
  }
}
