/// Tasks that wait for a store, in the order in which they came.
///
/// A task first reserves a place, and is parked there later. So a cancellation or a timer that comes in
/// between is not lost.
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

  /// Parks a waiter in its place; `false` if the wait has ended already.
  mutating func park(_ waiter: Waiter, as id: UInt64) -> Bool {
    guard places[id] != nil else { return false }
    places[id] = .parked(waiter)
    return true
  }

  /// Ends one wait.
  ///
  /// - Returns: The waiter to resume outside of the lock; `nil` if it is not parked.
  mutating func remove(_ id: UInt64) -> Waiter? {
    guard case .parked(let waiter)? = places.removeValue(forKey: id) else { return nil }
    return waiter
  }

  /// Ends all waits, including reserved places: a call that is not parked yet must check the store again.
  mutating func removeAll() -> [Waiter] {
    if places.isEmpty { return [] }
    let all = places.sorted { $0.key < $1.key }
    places = [:]
    return all.compactMap { if case .parked(let waiter) = $0.value { waiter } else { nil } }
  }
}
