internal import StreamQuery
import Synchronization

/// Lets callers use a place one after the other, in the order in which they come, and suspends the ones that
/// wait.
///
/// It holds no lock, so that the caller whose turn it is may run any code, also of users. A
/// cancelled caller keeps its place.
final class StoreTurns<Place: Hashable & Sendable>: Sendable {
  /// The places in use, with the callers that wait for each.
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
