/// Decides when to search a ``SharedTable`` for rows that are not needed any more.
///
/// A search is due when the number of rows, or of the bytes of their texts, has doubled since the last
/// search.
///
/// A search asks the client outside the lock, which takes a while; only one search runs at a time.
struct RowSweep: Sendable {
  /// The number of rows, and of bytes in their keys' texts, that were left after the last search.
  private var left = (rows: 0, bytes: 0)
  private var isRunning = false

  /// Begins a search if one is due; call ``ended(rows:bytes:)`` after the search.
  ///
  /// - Parameters:
  ///   - rows: The number of rows.
  ///   - bytes: The number of bytes of their texts: a few large keys may need as much memory as many.
  /// - Returns: Whether a search begins.
  mutating func begins(rows: Int, bytes: Int) -> Bool {
    guard !isRunning, rows >= max(1_024, left.rows * 2) || bytes >= max(1 << 20, left.bytes * 2)
    else { return false }
    isRunning = true
    return true
  }

  /// Notes the end of a search.
  ///
  /// - Parameters:
  ///   - rows: The number of rows that the search left.
  ///   - bytes: The number of bytes of their texts.
  mutating func ended(rows: Int, bytes: Int) {
    left = (rows, bytes)
    isRunning = false
  }
}
