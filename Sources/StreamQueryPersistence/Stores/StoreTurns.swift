internal import StreamQuery
import Synchronization

/// Lets callers use a place one after the other, in the order in which they come, without a lock: who has to
/// wait is suspended.
///
/// So whoever has the turn may run any code, also of users. A cancelled caller keeps its place.
final class StoreTurns<Place: Hashable & Sendable>: Sendable {
  /// The places in use, and who waits for each.
  private let waiting = Mutex<[Place: [SuspendedTask<Void>]]>([:])

  /// Waits for the turn, and passes it on afterwards, also if the body throws.
  func take<Result, Failure: Error>(
    _ place: Place,
    _ body: () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    await begin(place)
    defer { end(place) }
    return try body()
  }

  /// Waits for the turn; ``end(_:)`` must follow.
  func begin(_ place: Place) async {
    await SuspendedTask.suspend { task -> Void? in
      waiting.withLock { waiting in
        guard waiting[place] != nil else {
          waiting[place] = []
          return ()
        }
        waiting[place]?.append(task)
        return nil
      }
    }
  }

  func end(_ place: Place) {
    let next = waiting.withLock { waiting -> SuspendedTask<Void>? in
      guard waiting[place]?.isEmpty == false else {
        waiting[place] = nil
        return nil
      }
      return waiting[place]?.removeFirst()
    }
    next?.resume()
  }
}
