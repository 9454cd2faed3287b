/// Decides when rows are looked for that are not needed any more: at twice as many as the last look
/// left.
///
/// The client is asked outside the lock, so that a look takes a while: there is one at a time.
struct RowSweep: Equatable, Sendable {
  static let leastRows = 1_024

  private var rows = RowSweep.leastRows
  private var isRunning = false

  /// Whether a look begins, which says when it has ended.
  mutating func begins(rows: Int) -> Bool {
    guard !isRunning, rows >= self.rows else { return false }
    isRunning = true
    return true
  }

  /// A look ended.
  ///
  /// - Parameter rows: How many it left.
  mutating func ended(rows: Int) {
    isRunning = false
    self.rows = max(RowSweep.leastRows, rows * 2)
  }
}
