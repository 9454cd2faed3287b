internal import Synchronization

/// The snapshots of a recording, in order; a failed comparison shows the difference.
///
/// The snapshots can be compared with literals, with arrays, and with those of another recording. The message
/// of a failed comparison has one line for each snapshot, with a `+` if it was recorded and not expected, and
/// a `-` if it was expected and not recorded, and then the waits of the simulation:
///
/// ```text
/// 3 snapshots, not as expected ('+' was recorded, '-' was expected):
///     .pending fetching
///   - .success 2
///   + .success 1 fetching
/// What is pending:
/// - a fetch of ["number"] runs
/// - time stands at 0.0 seconds; the next thing happens in 0.3 seconds: `advance(by:)` moves it
/// ```
///
/// To pass the snapshots to a function that takes an array, write `Array(recording.summaries)`.
public struct CollectedSnapshots<Element: Sendable>: RandomAccessCollection, Sendable {
  private let elements: [Element]
  private let comparison: Comparison?

  /// Stores the difference that a failed `==` has found, for the description that the test library then
  /// prints.
  private final class Comparison: Sendable {
    let pending: @Sendable () -> [String]
    let failure = Mutex<Failure?>(nil)

    init(pending: @escaping @Sendable () -> [String]) {
      self.pending = pending
    }
  }

  private struct Failure: Sendable {
    let difference: @Sendable () -> SnapshotDifference
    let pending: [String]
  }

  /// Creates the expected snapshots of a comparison.
  ///
  /// - Parameter elements: The snapshots.
  public init(_ elements: some Sequence<Element>) {
    self.elements = Array(elements)
    comparison = nil
  }

  /// Creates the snapshots of a recording.
  ///
  /// - Parameters:
  ///   - elements: The snapshots.
  ///   - pending: Returns lines about the simulation's waits.
  init(recorded elements: [Element], pending: @escaping @Sendable () -> [String]) {
    self.elements = elements
    comparison = Comparison(pending: pending)
  }

  /// The position of the first snapshot.
  public var startIndex: Int { elements.startIndex }

  /// The position after the last snapshot.
  public var endIndex: Int { elements.endIndex }

  /// The first snapshot.
  ///
  /// If a test's comparison with it fails, the message lists what the simulation still waits for.
  public var first: SnapshotEnd<Element> {
    SnapshotEnd(elements.first, pending: comparison?.pending)
  }

  /// The newest snapshot; a failed comparison with it shows the waits of the simulation.
  public var last: SnapshotEnd<Element> {
    SnapshotEnd(elements.last, pending: comparison?.pending)
  }

  /// The snapshot at a position.
  ///
  /// - Parameter position: A valid position.
  /// - Returns: The snapshot.
  public subscript(position: Int) -> Element { elements[position] }

  /// The snapshots in a range.
  ///
  /// - Parameter bounds: Valid positions.
  /// - Returns: The snapshots.
  public subscript(bounds: Range<Int>) -> ArraySlice<Element> { elements[bounds] }
}

extension CollectedSnapshots: ExpressibleByArrayLiteral {
  /// Creates the expected snapshots.
  ///
  /// - Parameter elements: The snapshots.
  public init(arrayLiteral elements: Element...) {
    self.init(elements)
  }
}

extension CollectedSnapshots: Equatable where Element: Equatable {
  /// Returns whether two sequences of snapshots are equal, one by one.
  ///
  /// - Parameters:
  ///   - lhs: Snapshots.
  ///   - rhs: Other snapshots.
  /// - Returns: `true` if all are equal.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    guard lhs.elements != rhs.elements else { return true }
    // If both are recordings, the second one counts as expected.
    if lhs.comparison != nil {
      lhs.differs(from: rhs.elements)
    } else {
      rhs.differs(from: lhs.elements)
    }
    return false
  }

  /// Returns whether the recorded snapshots equal an array.
  ///
  /// - Parameters:
  ///   - lhs: Snapshots.
  ///   - rhs: The expected snapshots.
  /// - Returns: `true` if they are equal.
  @_disfavoredOverload
  public static func == (lhs: Self, rhs: [Element]) -> Bool {
    lhs == Self(rhs)
  }

  /// Returns whether the recorded snapshots differ from an array.
  ///
  /// - Parameters:
  ///   - lhs: Snapshots.
  ///   - rhs: The array to compare with.
  /// - Returns: `true` if they are not equal.
  @_disfavoredOverload
  public static func != (lhs: Self, rhs: [Element]) -> Bool {
    lhs.elements != rhs
  }

  private func differs(from expected: [Element]) {
    guard let comparison else { return }
    let elements = elements
    let failure = Failure(
      difference: { SnapshotDifference(recorded: elements, expected: expected) { "\($0)" } },
      pending: comparison.pending()
    )
    let old = comparison.failure.withLock { stored in
      defer { stored = failure }
      return stored
    }
    // The former failure has values of the test, so it is released outside the lock.
    _ = old
  }
}

extension CollectedSnapshots: CustomStringConvertible {
  /// The snapshots, one in a line; after a failed comparison also the difference.
  public var description: String {
    let count = elements.count == 1 ? "1 snapshot" : "\(elements.count) snapshots"
    guard let failure = comparison?.failure.withLock({ $0 }) else {
      return count + (elements.isEmpty ? "" : ":") + elements.map { "\n    \($0)" }.joined()
    }
    return "\(count), not as expected ('+' was recorded, '-' was expected):\n"
      + failure.difference().text
      + (failure.pending.isEmpty ? "" : "\n\(PendingReport.text(failure.pending))")
  }
}
