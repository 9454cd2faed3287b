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
  }

  static let shared = OutboxClaims()

  private let places = Mutex<[Place: Claims]>([:])

  func join(_ place: Place, _ keeper: OutboxKeeper) {
    places.withLock {
      $0[place, default: Claims()].owners[ObjectIdentifier(keeper)] = Owner(keeper: keeper)
    }
  }

  /// Claims runs for an outbox.
  ///
  /// - Returns: Those that no other one has.
  func claim(_ runs: [RunIdentity], _ place: Place, _ keeper: OutboxKeeper) -> Set<RunIdentity> {
    let owner = ObjectIdentifier(keeper)
    return places.withLock { places in
      var granted: Set<RunIdentity> = []
      for run in runs {
        let present = places[place]?.claimed[run]
        guard present == nil || present == owner else { continue }
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
      }
    }
  }

  /// An outbox is over.
  ///
  /// - Returns: The others, which may send what it leaves.
  func leave(_ place: Place, _ owner: ObjectIdentifier) -> [OutboxKeeper] {
    places.withLock { places in
      guard var claims = places.removeValue(forKey: place) else { return [] }
      claims.owners[owner] = nil
      claims.claimed = claims.claimed.filter { $0.value != owner }
      let others = claims.owners.values.compactMap(\.keeper)
      if !claims.owners.isEmpty { places[place] = claims }
      return others
    }
  }
}
