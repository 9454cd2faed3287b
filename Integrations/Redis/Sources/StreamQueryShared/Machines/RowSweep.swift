/// Decides when rows are looked for that are not needed any more: at twice as many, or twice as many
/// bytes of their texts, as the last look left.
///
/// The client is asked outside the lock, so that a look takes a while: there is one at a time.
struct RowSweep: Sendable {
  /// How many rows, and how many bytes of texts, the last look left.
  private var left = (rows: 0, bytes: 0)
  private var isRunning = false

  /// Whether a look begins now, which says when it has ended.
  ///
  /// - Parameters:
  ///   - rows: How many rows there are.
  ///   - bytes: How many bytes their texts have: a few keys may be as large as many.
  /// - Returns: Whether a look begins.
  mutating func begins(rows: Int, bytes: Int) -> Bool {
    guard !isRunning, rows >= max(1_024, left.rows * 2) || bytes >= max(1 << 20, left.bytes * 2)
    else { return false }
    isRunning = true
    return true
  }

  /// A look ended.
  ///
  /// - Parameters:
  ///   - rows: How many rows it left.
  ///   - bytes: How many bytes their texts have.
  mutating func ended(rows: Int, bytes: Int) {
    left = (rows, bytes)
    isRunning = false
  }
}
