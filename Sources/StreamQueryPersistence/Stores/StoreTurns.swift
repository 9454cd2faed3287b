internal import StreamQuery
import Synchronization

/// Lets callers use a resource one after the other, in the order in which they come; waiting callers are
/// suspended.
///
/// This is no lock, so the caller that has the turn may run any code, also of users. A cancelled caller still
/// waits for its turn.
final class StoreTurns<Resource: Hashable & Sendable>: Sendable {
  private let turns = Mutex(TurnQueue<Resource, SuspendedTask<Void>>())

  /// Waits for the turn, runs the body, and then lets the next caller go on, even if the body throws.
  func take<Result, Failure: Error>(
    _ resource: Resource,
    _ body: () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    await begin(resource)
    defer { end(resource) }
    return try body()
  }

  /// Waits for the turn; the caller must later call ``end(_:)``.
  func begin(_ resource: Resource) async {
    await SuspendedTask.suspend { task -> Void? in
      turns.withLock { $0.take(resource, orWait: task) ? () : nil }
    }
  }

  func end(_ resource: Resource) {
    turns.withLock { $0.ended(resource) }?.resume()
  }
}

/// The turns at resources: who has one, and who waits for it, in the order in which they came.
struct TurnQueue<Resource: Hashable, Wait> {
  /// The waiting callers; a resource that nobody uses has no row.
  private var waits: [Resource: [Wait]] = [:]

  /// Whether no caller has the turn at a resource.
  func isFree(_ resource: Resource) -> Bool { waits[resource] == nil }

  /// Takes the turn at a resource, or waits for it.
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - wait: Joins the queue if another caller has the turn.
  /// - Returns: Whether the turn was taken.
  mutating func take(_ resource: Resource, orWait wait: Wait) -> Bool {
    guard waits[resource] != nil else {
      waits[resource] = []
      return true
    }
    waits[resource]?.append(wait)
    return false
  }

  /// Ends a turn, and gives it to the next caller in the queue.
  ///
  /// - Returns: The wait of that caller; `nil` if none waits.
  mutating func ended(_ resource: Resource) -> Wait? {
    guard waits[resource]?.isEmpty == false else {
      waits[resource] = nil
      return nil
    }
    return waits[resource]?.removeFirst()
  }
}
