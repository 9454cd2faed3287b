internal import StreamQuery
import Synchronization

/// The claims of the process's outboxes to records: no two outboxes send the same record.
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
    /// The number of outboxes that are reading the store.
    var readers = 0
    /// The runs that were removed meanwhile: readers may have read them before.
    var gone: Set<RunIdentity> = []
    /// The scopes in which ended outboxes are still sending or writing.
    var barred: [ObjectIdentifier: Set<String>] = [:]
    /// The greatest number of a record.
    var last: UInt64 = 0

    var isEmpty: Bool {
      owners.isEmpty && claimed.isEmpty && barred.isEmpty && readers == 0
    }

    var barredScopes: Set<String> {
      barred.values.reduce(into: []) { all, scopes in all.formUnion(scopes) }
    }
  }

  static let shared = OutboxClaims()

  private let places = Mutex<[Place: Claims]>([:])

  func join(_ place: Place, _ keeper: OutboxKeeper) {
    places.withLock {
      $0[place, default: Claims()].owners[ObjectIdentifier(keeper)] = Owner(keeper: keeper)
    }
  }

  /// An outbox begins to read the store.
  ///
  /// - Returns: The scopes in which other outboxes have left records that the store may not have
  ///   yet.
  func readingBegan(_ place: Place) -> Set<String> {
    places.withLock {
      $0[place, default: Claims()].readers += 1
      return $0[place]?.barredScopes ?? []
    }
  }

  /// An outbox has claimed the records that it read, or has read none.
  func readingEnded(_ place: Place) {
    places.withLock { places in
      guard var claims = places.removeValue(forKey: place) else { return }
      claims.readers -= 1
      if claims.readers == 0 { claims.gone = [] }
      if !claims.isEmpty { places[place] = claims }
    }
  }

  /// The scopes in which ended outboxes are still sending or writing.
  func barredScopes(_ place: Place) -> Set<String> {
    places.withLock { $0[place]?.barredScopes ?? [] }
  }

  /// Claims the records that an outbox has read.
  ///
  /// - Parameters:
  ///   - records: The records.
  ///   - barred: The scopes that were barred when the reading began.
  ///   - place: The place of the records.
  ///   - keeper: The outbox.
  /// - Returns: The granted records, which no other outbox has, and the scopes in which nothing may
  ///   be sent yet.
  func claim(
    _ records: [(serial: UInt64, record: OutboxRecord)],
    except barred: Set<String>,
    _ place: Place,
    _ keeper: OutboxKeeper
  ) -> (granted: Set<RunIdentity>, barred: Set<String>) {
    let last = records.last?.serial ?? 0
    let barred = places.withLock { places in
      let known = places[place]?.last ?? 0
      places[place]?.last = max(known, last.leavingRoom)
      return barred.union(places[place]?.barredScopes ?? [])
    }
    let free = records.filter { item in
      item.record.header.scope.map { !barred.contains($0) } ?? true
    }
    return (claim(free.map(\.record.id), place, keeper), barred)
  }

  /// Gives a new record its number, above all others of its place.
  ///
  /// - Parameters:
  ///   - place: The place.
  ///   - least: The minimum for the number.
  /// - Returns: The number.
  func number(_ place: Place, atLeast least: UInt64) -> UInt64 {
    places.withLock { places in
      let number = max(least, (places[place]?.last ?? 0) + 1)
      places[place]?.last = number
      return number
    }
  }

  /// Claims runs for an outbox.
  ///
  /// - Returns: The granted runs, which no other outbox has and which are not gone.
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
  ///   - place: The place of its records.
  ///   - owner: The outbox.
  ///   - held: The runs that it is still sending, writing or removing.
  ///   - scopes: The scopes of these runs, in which no other outbox sends anything before this is
  ///     called again.
  /// - Returns: The other outboxes, which may send its remaining records.
  func leave(
    _ place: Place,
    _ owner: ObjectIdentifier,
    holding held: Set<RunIdentity>,
    in scopes: Set<String>
  ) -> [OutboxKeeper] {
    places.withLock { places in
      guard var claims = places.removeValue(forKey: place) else { return [] }
      claims.owners[owner] = nil
      claims.barred[owner] = scopes.isEmpty ? nil : scopes
      claims.claimed = claims.claimed.filter { $0.value != owner || held.contains($0.key) }
      let others = claims.owners.values.compactMap(\.keeper)
      if !claims.isEmpty { places[place] = claims }
      return others
    }
  }
}
