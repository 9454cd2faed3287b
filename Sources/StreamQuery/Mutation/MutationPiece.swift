import Synchronization

/// A piece of a run in its task: the work, or the callbacks before or after it.
///
/// What this very task awaits, the run waits for. So a run of the same lane that is awaited from here
/// would never begin, and is refused (``QueryError/recursiveMutation(key:)``). Tasks that the piece
/// starts inherit it too, but nobody can tell which of them it awaits: they are not refused.
final class MutationPiece: Sendable {
  let cache: ObjectIdentifier
  let scope: String?
  /// The piece of another run that awaits this run.
  let outer: MutationPiece?
  /// Which task is at work; `nil` before and after.
  ///
  /// A number says enough: while it is here, the task lives, and no other one has the same.
  private let task = Mutex<Int?>(nil)

  @TaskLocal private static var inherited: MutationPiece?

  init(of job: MutationJob, in cache: QueryCache) {
    self.cache = ObjectIdentifier(cache)
    scope = job.plan.scope
    outer = job.caller
  }

  /// Does the piece's work in the present task.
  func atWork(_ body: () async -> Void) async {
    task.withLock { $0 = Self.presentTask }
    defer { task.withLock { $0 = nil } }
    await Self.$inherited.withValue(self) { await body() }
  }

  /// The piece that the present task does, if it does any.
  static var current: MutationPiece? {
    guard let inherited, let present = presentTask, inherited.task.withLock({ $0 }) == present
    else {
      return nil
    }
    return inherited
  }

  /// Whether a lane goes on only when this piece, or one that awaits its run, is over.
  func holds(_ scope: String, of cache: QueryCache) -> Bool {
    let isHeld =
      self.scope == scope && self.cache == ObjectIdentifier(cache)
      && task.withLock { $0 } != nil
    return isHeld || outer?.holds(scope, of: cache) ?? false
  }

  private static var presentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}
