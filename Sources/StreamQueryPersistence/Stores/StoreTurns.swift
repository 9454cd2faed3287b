internal import StreamQuery
import Synchronization

/// Lets callers use a resource one after the other, in the order in which they come; waiting callers are
/// suspended.
///
/// This is no lock, so the caller that has the turn may run any code, also of users. A cancelled caller still
/// waits for its turn.
final class StoreTurns<Resource: Hashable & Sendable>: Sendable {
  /// The resources in use, with the callers that wait for each.
  private let waiting = Mutex<[Resource: [SuspendedTask<Void>]]>([:])

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
      waiting.withLock { waiting in
        guard waiting[resource] != nil else {
          waiting[resource] = []
          return ()
        }
        waiting[resource]?.append(task)
        return nil
      }
    }
  }

  func end(_ resource: Resource) {
    let next = waiting.withLock { waiting -> SuspendedTask<Void>? in
      guard waiting[resource]?.isEmpty == false else {
        waiting[resource] = nil
        return nil
      }
      return waiting[resource]?.removeFirst()
    }
    next?.resume()
  }
}
