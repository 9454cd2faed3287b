import Synchronization

/// Which task is at work for a fetch or a run; of a fetch also whether it is over, and whether it ever waited:
/// most never do, and their end need not look for waits.
struct WorkLife: ~Copyable, Sendable {
  private static let over: UInt8 = 1
  private static let involved: UInt8 = 2

  private let bits = Atomic<UInt8>(0)
  /// A number says enough: while it is here, the task lives, and no other one has the same.
  private let performer = Atomic<Int>(0)

  private static var presentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  /// The present task begins to work.
  borrowing func taskBegan() { performer.store(Self.presentTask ?? 0, ordering: .relaxed) }

  /// The task at work is done.
  borrowing func taskEnded() { performer.store(0, ordering: .relaxed) }

  /// Whether the present task is the one at work, rather than one that it started.
  var isPerformedHere: Bool { performer.load(ordering: .relaxed) == Self.presentTask }

  /// Whether the fetch is over.
  var isOver: Bool { bits.load(ordering: .acquiring) & Self.over != 0 }

  /// It waits from now on.
  ///
  /// - Returns: Whether it is over already.
  borrowing func involve() -> Bool {
    bits.bitwiseOr(Self.involved, ordering: .acquiringAndReleasing).oldValue & Self.over != 0
  }

  /// It is over.
  ///
  /// - Returns: Whether it ever waited.
  borrowing func end() -> Bool {
    bits.bitwiseOr(Self.over, ordering: .acquiringAndReleasing).oldValue & Self.involved != 0
  }
}
