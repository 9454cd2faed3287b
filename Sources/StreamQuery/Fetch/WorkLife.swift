import Synchronization

/// Which task is at work for a fetch or a run; for a fetch also whether it is over, and whether it
/// ever waited.
///
/// Most fetches never wait, and their end need not look for waits.
struct WorkLife: ~Copyable, Sendable {
  private static let over: UInt8 = 1
  private static let involved: UInt8 = 2

  private let bits = Atomic<UInt8>(0)
  /// The task's number is enough: while it is stored, the task lives, and no other task has the
  /// same number.
  private let performer = Atomic<Int>(0)

  private static var presentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  /// Notes that the present task is at work.
  borrowing func taskBegan() { performer.store(Self.presentTask ?? 0, ordering: .relaxed) }

  /// Notes that the task at work is done.
  borrowing func taskEnded() { performer.store(0, ordering: .relaxed) }

  /// Whether the present task is the one at work, rather than one that it started.
  var isPerformedHere: Bool { performer.load(ordering: .relaxed) == Self.presentTask }

  /// Whether the fetch is over.
  var isOver: Bool { bits.load(ordering: .acquiring) & Self.over != 0 }

  /// Notes that it waits.
  ///
  /// - Returns: Whether it is over already.
  borrowing func involve() -> Bool {
    bits.bitwiseOr(Self.involved, ordering: .acquiringAndReleasing).oldValue & Self.over != 0
  }

  /// Notes that it is over.
  ///
  /// - Returns: Whether it ever waited.
  borrowing func end() -> Bool {
    bits.bitwiseOr(Self.over, ordering: .acquiringAndReleasing).oldValue & Self.involved != 0
  }
}
