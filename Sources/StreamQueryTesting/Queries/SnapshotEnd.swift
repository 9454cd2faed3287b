internal import Synchronization

/// The first or the last snapshot of a recording; a failed comparison shows the waits of the simulation.
///
/// ```swift
/// let recording = simulation.record(client.stream(.users))
/// simulation.settle()
/// #expect(recording.summaries.last != .pending())
/// ```
///
/// Compare it with a snapshot. In an expression such as `recording.summaries.last?.data`, the compiler
/// chooses the optional `last` of collections; a comparison of that optional does not show the waits.
public struct SnapshotEnd<Element: Sendable>: Sendable {
  /// The snapshot; `nil` if the recording is empty.
  public let element: Element?

  private let report: Report?

  /// Stores the simulation's waits at a failed comparison, for the description that the test library then
  /// prints.
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
  /// Returns whether this end of a recording is the expected snapshot.
  ///
  /// - Parameters:
  ///   - lhs: The end of a recording.
  ///   - rhs: The expected snapshot.
  /// - Returns: `true` if they are equal.
  public static func == (lhs: Self, rhs: Element?) -> Bool {
    lhs.judged(lhs.element == rhs)
  }

  /// Returns whether this end of a recording is another snapshot, or missing.
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
  /// The snapshot; after a failed comparison also the waits of the simulation.
  public var description: String {
    let text = element.map { "\($0)" } ?? "no snapshot"
    let pending = report?.lines.withLock { $0 } ?? []
    return pending.isEmpty ? text : "\(text)\n\(PendingReport.text(pending))"
  }
}
