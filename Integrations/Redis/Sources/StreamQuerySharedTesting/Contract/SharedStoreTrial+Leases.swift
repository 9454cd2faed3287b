internal import StreamQueryShared

extension SharedStoreTrial {
  func oneLeads() async throws {
    let (store, key, long) = (store, key, long)
    let begun = try await withThrowingTaskGroup(of: SharedBeginning.self) { group in
      for _ in 0..<16 {
        // The task needs no executor preference: a group's tasks inherit that of the test.
        group.addTask { try await store.begin(key, maxAge: nil, lease: long) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    var (leaders, followers) = (0, 0)
    for beginning in begun {
      switch beginning {
      case .entry: saw("one found an entry")
      case .leads: leaders += 1
      case .follows(_, let remaining, _):
        followers += 1
        expect(
          remaining > long / 2 && remaining <= long,
          "a follower was told that \(remaining) of \(long) remain"
        )
      }
    }
    expect(leaders == 1, "\(leaders) led and \(followers) followed")
  }

  func endsLeases() async throws {
    let lease = try await lead(for: short)
    try await sleep(for: short * 2)
    try await expectLead(after: lease, and: "its time")
  }

  func renews() async throws {
    let lease = try await lead(for: short * 2)
    expect(try await store.renew(lease, for: long), "it was not renewed in time")
    try await sleep(for: short * 3)
    guard case .follows = try await begin() else { return saw("it had ended") }
    expect(try await commit("1", with: lease) != nil, "its commit was refused")
  }

  func fences() async throws {
    let old = try await lead(for: short)
    try await sleep(for: short * 2)
    let new = try await lead()
    let start = try await end()
    try await expectEnded(old, after: "its time and another lease")
    try await store.abandon(old, failure: "late")
    let messages = try await messages(after: start)
    expect(messages.isEmpty, "the log told of \(messages.map(\.kind))")
    try await expectEntry(nil, after: "a late commit")
    expect(try await commit("new", with: new) != nil, "the commit of the other lease was refused")
    try await expectEnded(old, after: "the commit of another lease")
    try await expectEntry("new", after: "the commits of two leases")
  }

  func commitsOnce() async throws {
    let lease = try await lead()
    expect(try await commit("1", with: lease) != nil, "its commit was refused")
    try await expectEnded(lease, after: "its commit")
    try await expectEntry("1", after: "a second commit")
    try await expectLead(after: lease, and: "its commit")
  }

  func abandons() async throws {
    let lease = try await lead()
    try await store.abandon(lease, failure: "no")
    try await expectEnded(lease, after: "it was abandoned")
    try await expectLead(after: lease, and: "it was abandoned")
  }

  func refusesForgeries() async throws {
    let lease = try await lead()
    var forged = lease
    forged.history = SharedHistory("another")
    try await expectEnded(forged, after: "changing its history")
    for token in [lease.token &+ 1, lease.token &- 1, 0, .max] where token != lease.token {
      forged = lease
      forged.token = token
      try await expectEnded(forged, after: "changing its token to \(token)")
    }
    expect(try await commit("1", with: lease) != nil, "the commit of the true lease was refused")
  }

  func invalidatesLeases() async throws {
    for mark in key.marks {
      let lease = try await lead()
      _ = try await store.invalidate([SharedMark("key/nobody"), mark])
      try await expectEnded(lease, after: "an invalidation of \(mark.text)")
      let next = try await lead()
      expect(next.token > lease.token, "token \(next.token) came after token \(lease.token)")
      expect(try await commit("1", with: next) != nil, "the commit of the next lease was refused")
    }
    let lease = try await lead()
    _ = try await store.invalidate([SharedMark("key/nobody")])
    expect(try await commit("2", with: lease) != nil, "an invalidation of another mark ended it")
  }

  func heedsReaders() async throws {
    // A machine with an earlier version of the code knows no tags.
    let plain = SharedTrialKeys.key("k")
    let tag = [SharedMark("tag/tag")]
    _ = try await put("1", for: plain)
    try await expectEntry("1", of: key, after: "the commit of somebody who knows fewer marks")
    _ = try await store.invalidate(tag)
    try await expectEntry(nil, of: key, after: "an invalidation of a mark of the reader")
    let lease = try await lead(plain)
    _ = try await store.invalidate(tag)
    guard case .leads(let next, _) = try await begin() else {
      return saw("somebody followed a lease from before an invalidation of a mark of its own")
    }
    expect(next.token > lease.token, "token \(next.token) came after token \(lease.token)")
    try await expectEnded(lease, after: "another lease")
    guard case .follows = try await begin(plain) else { return saw("two led at once") }
    try await store.abandon(next, failure: nil)
    let early = try await lead(plain)
    _ = try await store.invalidate(tag)
    expect(try await commit("2", with: early) != nil, "an invalidation of another mark ended it")
    try await expectEntry("2", of: plain, after: "its commit")
    try await expectEntry(nil, of: key, after: "the commit of a lease from before an invalidation")
    _ = try await write("3", for: plain)
    try await expectEntry("3", of: key, after: "a write after the invalidation")
  }

  func writesEndLeases() async throws {
    let lease = try await lead()
    _ = try await write("written")
    try await expectEnded(lease, after: "a write")
    try await expectEntry("written", after: "a write and a late commit")
    let next = try await lead()
    expect(next.token > lease.token, "token \(next.token) came after token \(lease.token)")
  }
}
