/// Decides when to search for rows that are not needed any more: when there are twice as many rows, or bytes
/// of their texts, as after the last search.
///
/// A search asks the client outside the lock, which takes a while; only one search runs at a time.
struct RowSweep: Sendable {
  /// The numbers of rows and of bytes of texts after the last search.
  private var left = (rows: 0, bytes: 0)
  private var isRunning = false

  /// Whether a search begins now; call ``ended(rows:bytes:)`` after it.
  ///
  /// - Parameters:
  ///   - rows: The number of rows.
  ///   - bytes: The number of bytes of their texts, because a few keys may be as large as many.
  /// - Returns: Whether a search begins.
  mutating func begins(rows: Int, bytes: Int) -> Bool {
    guard !isRunning, rows >= max(1_024, left.rows * 2) || bytes >= max(1 << 20, left.bytes * 2)
    else { return false }
    isRunning = true
    return true
  }

  /// A search ended.
  ///
  /// - Parameters:
  ///   - rows: The number of rows that it left.
  ///   - bytes: The number of bytes of their texts.
  mutating func ended(rows: Int, bytes: Int) {
    left = (rows, bytes)
    isRunning = false
  }
}
