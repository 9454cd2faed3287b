internal import StreamQuery
import Synchronization

/// The records that each outbox of this process may send, so that no two outboxes send the same record.
///
/// Outboxes of other processes are not known here. A store such as ``FileStore`` refuses a second process:
/// see `FileStore+Directory.swift`.
final class OutboxClaims: Sendable {
  /// A part of a store.
  struct Key: Hashable, Sendable {
    let store: ObjectIdentifier
    let partition: StorePartition
  }

  private struct Owner {
    weak var engine: OutboxEngine?
  }

  private struct Claims {
    var owners: [ObjectIdentifier: Owner] = [:]
    var claimed: [RunIdentity: ObjectIdentifier] = [:]
    /// The number of outboxes that are reading the store.
    var readers = 0
    /// The runs whose records were removed while another outbox was reading.
    ///
    /// That outbox may have read the records before, but must not send these runs again.
    var gone: Set<RunIdentity> = []
    /// The scopes in which ended outboxes are still sending or writing.
    var barred: [ObjectIdentifier: Set<String>] = [:]
    /// The greatest number in the keys of this part's records so far.
    var last: UInt64 = 0

    var isEmpty: Bool {
      owners.isEmpty && claimed.isEmpty && barred.isEmpty && readers == 0
    }

    var barredScopes: Set<String> {
      barred.values.reduce(into: []) { all, scopes in all.formUnion(scopes) }
    }
  }

  static let shared = OutboxClaims()

  private let claimsByKey = Mutex<[Key: Claims]>([:])

  /// Changes the claims on a part of a store, and forgets the part when no claim is left.
  private func update<Result: Sendable>(
    _ key: Key,
    _ body: (inout Claims) -> Result
  ) -> Result {
    claimsByKey.withLock { claimsByKey in
      var claims = claimsByKey.removeValue(forKey: key) ?? Claims()
      let result = body(&claims)
      if !claims.isEmpty { claimsByKey[key] = claims }
      return result
    }
  }

  func join(_ key: Key, _ engine: OutboxEngine) {
    update(key) { $0.owners[ObjectIdentifier(engine)] = Owner(engine: engine) }
  }

  /// Notes that an outbox begins to read a part of a store.
  ///
  /// - Returns: The scopes in which ended outboxes are still sending or writing.
  func readingBegan(_ key: Key) -> Set<String> {
    update(key) { claims in
      claims.readers += 1
      return claims.barredScopes
    }
  }

  /// Notes that an outbox no longer reads: it has claimed the records that it read, or could not read them.
  func readingEnded(_ key: Key) {
    update(key) { claims in
      claims.readers -= 1
      if claims.readers == 0 { claims.gone = [] }
    }
  }

  /// Returns the scopes in which ended outboxes are still sending or writing.
  func barredScopes(_ key: Key) -> Set<String> { update(key) { $0.barredScopes } }

  /// Claims the records that an outbox has read.
  ///
  /// - Parameters:
  ///   - records: The records.
  ///   - barred: The scopes that ``readingBegan(_:)`` returned before the reading.
  ///   - key: The part of a store that has the records.
  ///   - engine: The outbox.
  /// - Returns: The granted records, which no other outbox has claimed, and the scopes in which nothing may
  ///   be sent yet.
  func claim(
    _ records: [(serial: UInt64, record: OutboxRecord)],
    except barred: Set<String>,
    _ key: Key,
    _ engine: OutboxEngine
  ) -> (granted: Set<RunIdentity>, barred: Set<String>) {
    let last = records.last?.serial ?? 0
    let barred = update(key) { claims in
      claims.last = max(claims.last, last.leavingRoom)
      return barred.union(claims.barredScopes)
    }
    let free = records.filter { item in
      item.record.header.scope.map { !barred.contains($0) } ?? true
    }
    return (claim(free.map(\.record.id), key, engine), barred)
  }

  /// Returns a number for a new record, above all others in its part of the store.
  ///
  /// - Parameters:
  ///   - key: The part of a store.
  ///   - least: The minimum of the number.
  /// - Returns: The number.
  func number(_ key: Key, atLeast least: UInt64) -> UInt64 {
    update(key) { claims in
      claims.last = max(least, claims.last + 1)
      return claims.last
    }
  }

  /// Claims runs for an outbox, so that no other outbox of the process sends them.
  ///
  /// - Returns: The granted runs: no other outbox has claimed them, and their records were not removed while
  ///   an outbox was reading.
  func claim(_ runs: [RunIdentity], _ key: Key, _ engine: OutboxEngine) -> Set<RunIdentity> {
    let owner = ObjectIdentifier(engine)
    return update(key) { claims in
      let granted = runs.filter { run in
        claims.claimed[run, default: owner] == owner && !claims.gone.contains(run)
      }
      for run in granted { claims.claimed[run] = owner }
      return Set(granted)
    }
  }

  /// Ends an outbox's claims on runs after their records were removed from the store.
  func release(_ runs: [RunIdentity], _ key: Key, _ engine: OutboxEngine) {
    update(key) { claims in
      for run in runs where claims.claimed[run] == ObjectIdentifier(engine) {
        claims.claimed[run] = nil
        if claims.readers > 0 { claims.gone.insert(run) }
      }
    }
  }

  /// Ends the claims of an outbox that has ended, except for its claims on runs that it is still busy with.
  ///
  /// - Parameters:
  ///   - key: The part of a store that has the outbox's records.
  ///   - owner: The outbox.
  ///   - held: The runs that the outbox is still sending, writing or removing.
  ///   - scopes: The scopes of these runs; no other outbox sends anything there until a later call without
  ///     them.
  /// - Returns: The other outboxes, which may send the remaining records of this one.
  func leave(
    _ key: Key,
    _ owner: ObjectIdentifier,
    holding held: Set<RunIdentity>,
    in scopes: Set<String>
  ) -> [OutboxEngine] {
    update(key) { claims in
      claims.owners[owner] = nil
      claims.barred[owner] = scopes.isEmpty ? nil : scopes
      claims.claimed = claims.claimed.filter { $0.value != owner || held.contains($0.key) }
      return claims.owners.values.compactMap(\.engine)
    }
  }
}
