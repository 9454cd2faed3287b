internal import Synchronization

/// The first or last of some snapshots, whose failed comparison prints the waits of the recording.
///
/// ```swift
/// let recording = simulation.record(client.stream(.users))
/// simulation.settle()
/// #expect(recording.summaries.last != .pending())
/// ```
///
/// Compare it with a snapshot. For the snapshot itself, as in `recording.summaries.last?.data`, the
/// compiler chooses the optional property of collections, whose comparisons have no such report.
public struct SnapshotEnd<Element: Sendable>: Sendable {
  /// The snapshot; `nil` if there is none.
  public let element: Element?

  private let report: Report?

  /// The result of a failed comparison, which the failure prints.
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
  /// The snapshot and, after a failed comparison, the waits of the simulation.
  public var description: String {
    let text = element.map { "\($0)" } ?? "no snapshot"
    let pending = report?.lines.withLock { $0 } ?? []
    return pending.isEmpty ? text : "\(text)\n\(PendingReport.text(pending))"
  }
}
