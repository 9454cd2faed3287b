import Synchronization

/// Which outbox of the process sends which record: no two of them send the same.
final class OutboxClaims: Sendable {
  /// A part of a store.
  struct Place: Hashable, Sendable {
    let store: ObjectIdentifier
    let partition: StorePartition
  }

  private struct Owner {
    weak var keeper: OutboxKeeper?
  }

  private struct Claims {
    var owners: [ObjectIdentifier: Owner] = [:]
    var claimed: [RunIdentity: ObjectIdentifier] = [:]
    /// How many outboxes read the store at present.
    var readers = 0
    /// What was removed meanwhile: they may have read it before.
    var gone: Set<RunIdentity> = []

    var isEmpty: Bool { owners.isEmpty && claimed.isEmpty && readers == 0 }
  }

  static let shared = OutboxClaims()

  private let places = Mutex<[Place: Claims]>([:])

  func join(_ place: Place, _ keeper: OutboxKeeper) {
    places.withLock {
      $0[place, default: Claims()].owners[ObjectIdentifier(keeper)] = Owner(keeper: keeper)
    }
  }

  /// An outbox begins to read the store.
  func readingBegan(_ place: Place) {
    places.withLock { $0[place, default: Claims()].readers += 1 }
  }

  /// An outbox has claimed what it read, or has read nothing.
  func readingEnded(_ place: Place) {
    places.withLock { places in
      guard var claims = places.removeValue(forKey: place) else { return }
      claims.readers -= 1
      if claims.readers == 0 { claims.gone = [] }
      if !claims.isEmpty { places[place] = claims }
    }
  }

  /// Claims runs for an outbox.
  ///
  /// - Returns: Those that no other one has, and that are not gone.
  func claim(_ runs: [RunIdentity], _ place: Place, _ keeper: OutboxKeeper) -> Set<RunIdentity> {
    let owner = ObjectIdentifier(keeper)
    return places.withLock { places in
      var granted: Set<RunIdentity> = []
      for run in runs {
        let present = places[place]?.claimed[run]
        guard present == nil || present == owner else { continue }
        if places[place]?.gone.contains(run) == true { continue }
        places[place]?.claimed[run] = owner
        granted.insert(run)
      }
      return granted
    }
  }

  /// A record is gone from the store.
  func release(_ runs: [RunIdentity], _ place: Place, _ keeper: OutboxKeeper) {
    places.withLock { places in
      for run in runs where places[place]?.claimed[run] == ObjectIdentifier(keeper) {
        places[place]?.claimed[run] = nil
        if (places[place]?.readers ?? 0) > 0 { places[place]?.gone.insert(run) }
      }
    }
  }

  /// An outbox is over.
  ///
  /// - Parameters:
  ///   - place: Where its records are.
  ///   - owner: The outbox.
  ///   - held: What it is still sending or removing.
  /// - Returns: The others, which may send what it leaves.
  func leave(
    _ place: Place,
    _ owner: ObjectIdentifier,
    holding held: Set<RunIdentity>
  ) -> [OutboxKeeper] {
    places.withLock { places in
      guard var claims = places.removeValue(forKey: place) else { return [] }
      claims.owners[owner] = nil
      claims.claimed = claims.claimed.filter { $0.value != owner || held.contains($0.key) }
      let others = claims.owners.values.compactMap(\.keeper)
      if !claims.isEmpty { places[place] = claims }
      return others
    }
  }
}
