internal import Synchronization

/// The first or last of some snapshots: a failed comparison says what the recording still waits for.
///
/// ```swift
/// let recording = simulation.record(client.stream(.users))
/// simulation.settle()
/// #expect(recording.summaries.last != .pending())
/// ```
///
/// Compare it with a snapshot. Where a snapshot itself is needed, as in
/// `recording.summaries.last?.data`, the compiler takes the optional property of collections, whose
/// comparisons have no such report.
public struct SnapshotEnd<Element: Sendable>: Sendable {
  /// The snapshot; `nil` if there is none.
  public let element: Element?

  private let report: Report?

  /// The finding of a failed comparison: it is printed with the failure.
  private final class Report: Sendable {
    let pending: @Sendable () -> [String]
    let lines = Mutex<[String]>([])

    init(pending: @escaping @Sendable () -> [String]) {
      self.pending = pending
    }
  }

  init(_ element: Element?, pending: (@Sendable () -> [String])?) {
    self.element = element
    report = pending.map(Report.init)
  }
}

extension SnapshotEnd where Element: Equatable {
  /// Whether it is the expected snapshot.
  ///
  /// - Parameters:
  ///   - lhs: The end of a recording.
  ///   - rhs: The expected snapshot.
  /// - Returns: `true` if they are equal.
  public static func == (lhs: Self, rhs: Element?) -> Bool {
    lhs.judged(lhs.element == rhs)
  }

  /// Whether it is another snapshot, or none.
  ///
  /// - Parameters:
  ///   - lhs: The end of a recording.
  ///   - rhs: The snapshot to compare with.
  /// - Returns: `true` if they are not equal.
  public static func != (lhs: Self, rhs: Element?) -> Bool {
    lhs.judged(lhs.element != rhs)
  }

  private func judged(_ holds: Bool) -> Bool {
    if !holds, let report {
      let pending = report.pending()
      report.lines.withLock { $0 = pending }
    }
    return holds
  }
}

extension SnapshotEnd: CustomStringConvertible {
  /// The snapshot, and after a failed comparison what the simulation waited for.
  public var description: String {
    let text = element.map { "\($0)" } ?? "no snapshot"
    let pending = report?.lines.withLock { $0 } ?? []
    return pending.isEmpty ? text : "\(text)\n\(PendingReport.text(pending))"
  }
}
