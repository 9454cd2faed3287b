/// Tasks that wait for a store, in the order in which they came.
///
/// A task first gets the id of its wait, and stores its continuation under this id later. So a cancellation
/// or a timer that comes in between is not lost.
struct Waiters: Sendable {
  typealias Waiter = CheckedContinuation<Void, Never>

  private enum Place: Sendable {
    case reserved
    case parked(Waiter)
  }

  private var places: [UInt64: Place] = [:]
  private var lastID: UInt64 = 0

  mutating func reserve() -> UInt64 {
    lastID += 1
    places[lastID] = .reserved
    return lastID
  }

  /// Stores the continuation of a wait; `false` if the wait has ended already, so that the caller must
  /// resume it.
  mutating func park(_ waiter: Waiter, as id: UInt64) -> Bool {
    guard places[id] != nil else { return false }
    places[id] = .parked(waiter)
    return true
  }

  /// Ends one wait.
  ///
  /// - Returns: The continuation, to be resumed outside of the lock; `nil` if none is stored.
  mutating func remove(_ id: UInt64) -> Waiter? {
    guard case .parked(let waiter)? = places.removeValue(forKey: id) else { return nil }
    return waiter
  }

  /// Ends all waits.
  ///
  /// A call that has registered, but has not stored its continuation yet, finds no place for it. It does not
  /// wait then, and checks the store again.
  mutating func removeAll() -> [Waiter] {
    if places.isEmpty { return [] }
    let all = places.sorted { $0.key < $1.key }
    places = [:]
    return all.compactMap { if case .parked(let waiter) = $0.value { waiter } else { nil } }
  }
}
