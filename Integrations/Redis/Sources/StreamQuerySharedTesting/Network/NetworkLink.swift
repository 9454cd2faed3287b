internal import StreamQuery
internal import StreamQueryShared

/// The connection of one node to the store, which delays messages and may lose them.
final class NetworkLink: SharedStore {
  private let node: Int
  private let store: any SharedStore
  private let world: NetworkWorld
  private let clock: any Clock<Duration>
  private let now: @Sendable () -> Duration
  /// The time after which a call without an answer ends.
  private let patience: Duration

  init(
    _ node: Int,
    _ store: any SharedStore,
    _ world: NetworkWorld,
    clock: any Clock<Duration>,
    now: @escaping @Sendable () -> Duration,
    patience: Duration
  ) {
    (self.node, self.store, self.world) = (node, store, world)
    (self.clock, self.now, self.patience) = (clock, now, patience)
  }

  private func pass<Answer: Sendable>(
    _ name: String,
    bytes: Int,
    answering: (Answer) -> Int = { _ in 8 },
    _ call: () async throws(SharedStoreError) -> Answer
  ) async throws(SharedStoreError) -> Answer {
    world.locked { state in
      state.meter.calls[name, default: 0] += 1
      state.meter.bytes += bytes
    }
    try await way()
    let answer: Answer
    do throws(SharedStoreError) {
      answer = try await call()
    } catch {
      try await way()
      throw error
    }
    world.locked { $0.meter.bytes += answering(answer) }
    try await way()
    let time = now()
    world.locked { $0.judge.reached(by: node, at: time) }
    return answer
  }

  private func way() async throws(SharedStoreError) {
    let (delay, isLost) = world.way(of: node)
    if isLost { world.locked { $0.meter.lost += 1 } }
    do {
      try await clock.sleep(for: isLost ? patience : delay)
    } catch {
      throw .cancelled
    }
    guard isLost else { return }
    throw .unavailable("The connection was lost.")
  }

  func begin(
    _ key: SharedKey,
    maxAge: Duration?,
    lease: Duration
  ) async throws(SharedStoreError) -> SharedBeginning {
    let marks = key.marks.reduce(0) { $0 + $1.text.utf8.count }
    return try await pass("begin", bytes: key.text.utf8.count + marks + 16) { beginning in
      switch beginning {
      case .entry(let entry): entry.value.bytes.count + 24
      case .leads(_, let entry), .follows(_, _, let entry): (entry?.value.bytes.count ?? 0) + 32
      }
    } _: { () async throws(SharedStoreError) in
      try await store.begin(key, maxAge: maxAge, lease: lease)
    }
  }

  func renew(_ lease: SharedLease, for duration: Duration) async throws(SharedStoreError) -> Bool {
    try await pass("renew", bytes: lease.key.text.utf8.count + 16) {
      () async throws(SharedStoreError) in
      try await store.renew(lease, for: duration)
    }
  }

  func commit(
    _ value: SharedValue,
    with lease: SharedLease,
    lifetime: Duration
  ) async throws(SharedStoreError) -> SharedVersion? {
    try await pass("commit", bytes: lease.key.text.utf8.count + value.bytes.count + 24) {
      () async throws(SharedStoreError) in
      try await store.commit(value, with: lease, lifetime: lifetime)
    }
  }

  func abandon(_ lease: SharedLease, failure: String?) async throws(SharedStoreError) {
    try await pass("abandon", bytes: lease.key.text.utf8.count + 16) {
      () async throws(SharedStoreError) in
      try await store.abandon(lease, failure: failure)
    }
  }

  func write(
    _ value: SharedValue,
    for key: SharedKey,
    lifetime: Duration
  ) async throws(SharedStoreError) -> SharedVersion {
    try await pass("write", bytes: key.text.utf8.count + value.bytes.count + 24) {
      () async throws(SharedStoreError) in
      let version = try await store.write(value, for: key, lifetime: lifetime)
      told(of: key.marks)
      return version
    }
  }

  func invalidate(_ marks: [SharedMark]) async throws(SharedStoreError) -> SharedVersion {
    let bytes = marks.reduce(0) { $0 + $1.text.utf8.count }
    return try await pass("invalidate", bytes: bytes) { () async throws(SharedStoreError) in
      let version = try await store.invalidate(marks)
      told(of: marks)
      return version
    }
  }

  /// Tells the judge that the store now knows earlier versions of the keys with these marks as outdated.
  private func told(of marks: [SharedMark]) {
    let now = now()
    world.locked { state in
      for key in marks.compactMap(\.networkKey) {
        state.meter.changes[Int(now.components.seconds), default: 0] += 1
        state.judge.invalidated(key, at: now)
      }
    }
  }

  func changes(
    after position: SharedPosition?,
    timeout wait: Duration
  ) async throws(SharedStoreError) -> SharedChanges {
    let found = try await pass("changes", bytes: 40) { changes in
      changes.messages.reduce(32) { $0 + $1.kind.bytes + 16 }
    } _: { () async throws(SharedStoreError) in
      try await store.changes(after: position, timeout: wait)
    }
    world.locked { $0.meter.delivered += found.messages.count }
    return found
  }
}

extension SharedMark {
  /// The key's number in the mark: `["value",N` in the mark of a key, `#N` in a tag; `nil` for other marks.
  fileprivate var networkKey: Int? {
    if let own = text.firstRange(of: "[\"value\",") {
      return Int(text[own.upperBound...].prefix { $0.isNumber })
    }
    return text.lastIndex(of: "#").flatMap { Int(text[text.index(after: $0)...]) }
  }
}

extension SharedMessage.Kind {
  fileprivate var bytes: Int {
    switch self {
    case .committed(let key), .written(let key): key.utf8.count
    case .abandoned(let key, let failure): key.utf8.count + (failure?.utf8.count ?? 0)
    case .invalidated(let marks): marks.reduce(0) { $0 + $1.text.utf8.count }
    }
  }
}
