internal import StreamQueryShared

extension SharedStoreTrial {
  func perform(_ rule: SharedStoreRule) async throws {
    switch rule {
    case .startsEmpty: try await startsEmpty()
    case .keepsBytes: try await keepsBytes()
    case .replaces: try await replaces()
    case .keepsApart: try await keepsApart()
    case .measuresAges: try await measuresAges()
    case .acceptsNoAge: try await acceptsNoAge()
    case .endsLifetimes: try await endsLifetimes()
    case .oneLeads: try await oneLeads()
    case .endsLeases: try await endsLeases()
    case .renews: try await renews()
    case .fences: try await fences()
    case .commitsOnce: try await commitsOnce()
    case .abandons: try await abandons()
    case .refusesForgeries: try await refusesForgeries()
    case .invalidates: try await invalidates()
    case .invalidatesLeases: try await invalidatesLeases()
    case .writesEndLeases: try await writesEndLeases()
    case .keepsMarks: try await keepsMarks()
    case .heedsReaders: try await heedsReaders()
    case .versionsRise: try await versionsRise()
    case .logsChanges: try await logsChanges()
    case .wakesReaders: try await wakesReaders()
    case .waitsNoLonger: try await waitsNoLonger()
    case .leavesWhenCancelled: try await leavesWhenCancelled()
    case .tellsOfGaps: try await tellsOfGaps()
    case .losesNothingSilently: try await losesNothingSilently()
    case .saysWhetherThereIsMore: try await saysWhetherThereIsMore()
    }
  }

  private func startsEmpty() async throws {
    let begun = try await begin(maxAge: long)
    guard case .leads(_, nil) = begun else { return saw("it began with \(begun)") }
  }

  private func keepsBytes() async throws {
    let texts = ["k", "a/b c'\"%_*?[]\\", "é😀", "nul\u{0}\r\n", String(repeating: "k", count: 500)]
    let bytes: [[UInt8]] = [[], Array(0...255), Array(repeating: 0, count: 70_000)]
    for (index, text) in texts.enumerated() {
      let key = SharedTrialKeys.key(text)
      let value = SharedValue(bytes[index % bytes.count], form: "form \(index) é")
      let lease = try await lead(key)
      let version = try await store.commit(value, with: lease, lifetime: long)
      let found = try await entry(key)
      expect(found?.value == value, "\(text.debugDescription) did not have the committed value")
      expect(found?.version == version, "\(text.debugDescription) had another version")
    }
  }

  private func replaces() async throws {
    _ = try await put("1")
    let version = try await write("2")
    try await expectEntry("2", after: "a write")
    let found = try await entry()?.version
    expect(found == version, "the entry did not have the version of the write")
    _ = try await put("3")
    try await expectEntry("3", after: "a commit")
  }

  private func keepsApart() async throws {
    let keys = ["a", "A", "a/b", "a:b", "a ", ""].map { SharedTrialKeys.key($0) }
    for (index, key) in keys.enumerated() {
      let lease = try await lead(key)
      if index > 0 { _ = try await commit("\(index)", with: lease) }
    }
    for (index, key) in keys.enumerated() {
      try await expectEntry(index > 0 ? "\(index)" : nil, of: key, after: "entries of other keys")
    }
  }

  private func measuresAges() async throws {
    let put = try await put("1")
    let first = try await entry()
    try await sleep(for: short)
    guard let first, let second = try await entry() else { return saw("there was no entry") }
    expect(first.age >= .zero && first.age < long / 2, "a new entry was \(first.age) old")
    let grown = second.age - first.age
    // A store may round times to milliseconds.
    expect(
      grown >= short - .milliseconds(10),
      "in \(short) it grew older by \(grown)"
    )
    let begun = try await begin(maxAge: short / 2)
    guard case .leads(_, let old?) = begun else {
      return saw("what was too old led to \(begun)")
    }
    expect(old.version == put, "its leader was shown another version")
  }

  private func acceptsNoAge() async throws {
    _ = try await put("1")
    let first = try await begin(maxAge: nil)
    guard case .leads(_, _?) = first else { return saw("the first began with \(first)") }
    let second = try await begin(maxAge: nil)
    guard case .follows(_, _, _?) = second else { return saw("the second began with \(second)") }
  }

  private func endsLifetimes() async throws {
    _ = try await store.write(Self.value("1"), for: key, lifetime: short)
    let other = SharedTrialKeys.key("committed")
    let lease = try await lead(other)
    _ = try await store.commit(Self.value("2"), with: lease, lifetime: short)
    try await sleep(for: short * 2)
    try await expectEntry(nil, after: "the lifetime of a write")
    try await expectEntry(nil, of: other, after: "the lifetime of a commit")
  }

  private func invalidates() async throws {
    let unmarked = SharedTrialKeys.key("unmarked")
    _ = try await put("0", for: unmarked)
    for (round, mark) in key.marks.enumerated() {
      _ = try await put("\(round)")
      _ = try await store.invalidate([SharedMark("key/nobody"), mark])
      try await expectEntry(nil, after: "an invalidation of \(mark.text)")
      let written = "\(round) again"
      _ = try await write(written)
      try await expectEntry(written, after: "an invalidation of \(mark.text) and a write")
    }
    try await expectEntry("0", of: unmarked, after: "invalidations of other marks")
  }

  private func keepsMarks() async throws {
    for (text, count) in [("all", 3), ("one", 1)] {
      let key = SharedTrialKeys.key(text, tags: "tag", "other")
      var lease = try await lead(key)
      // The entry has the marks with which the lease was taken, also if the commit names fewer.
      lease.key.marks = Array(key.marks.prefix(count))
      _ = try await commit("1", with: lease)
      _ = try await store.invalidate([SharedMark("tag/tag")])
      // This reader knows fewer marks than the caller that took the lease, which a store must allow.
      let reader = SharedKey(text, marks: Array(key.marks.prefix(1)))
      try await expectEntry(nil, of: reader, after: "an invalidation of a mark of its lease")
    }
  }
}
