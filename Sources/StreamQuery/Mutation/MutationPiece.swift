import Synchronization

/// A piece of a run in its task: the work, or the callbacks before or after it.
///
/// What this very task awaits, the run waits for. So a run of the same lane that is awaited from here
/// would never begin, and is refused (``QueryError/recursiveMutation(key:)``). Tasks that the piece
/// starts inherit it too, but nobody can tell which of them it awaits: they are not refused.
final class MutationPiece: Sendable {
  let cache: ObjectIdentifier
  let run: MutationID
  /// The wait of another run's piece for this run.
  let outer: MutationWait?
  /// Which task is at work; `nil` before and after.
  ///
  /// A number says enough: while it is here, the task lives, and no other one has the same.
  private let task = Mutex<Int?>(nil)

  @TaskLocal private static var inherited: MutationPiece?

  init(of job: MutationJob, in cache: QueryCache) {
    self.cache = ObjectIdentifier(cache)
    run = job.id
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

  /// Whether the present task has inherited any piece, its own or not.
  static var isInherited: Bool { inherited != nil }

  /// Runs code that starts a task which is to inherit none.
  static func withoutInherited<Result>(_ body: () -> Result) -> Result {
    $inherited.withValue(nil, operation: body)
  }

  /// Whether the piece is at work at present.
  var isAtWork: Bool { task.withLock { $0 } != nil }

  private static var presentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }
}

/// A piece that waits for another run, for as long as it does.
///
/// A caller that is cancelled waits no more, while the run, and the piece, may go on.
final class MutationWait: Sendable {
  let piece: MutationPiece
  private let isOver = Atomic(false)

  init(of piece: MutationPiece) {
    self.piece = piece
  }

  /// Whether the piece still waits.
  var isOn: Bool { !isOver.load(ordering: .acquiring) && piece.isAtWork }

  func end() {
    isOver.store(true, ordering: .releasing)
  }
}
