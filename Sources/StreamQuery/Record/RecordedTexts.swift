/// The JSON texts of values, bounded in bytes.
struct RecordedTexts: Sendable {
  /// A value after an event.
  struct Row: Sendable {
    /// The number of the value among all values of the record.
    let serial: UInt64
    let event: UInt64
    let text: String
  }

  private let maxBytes: Int?
  private var stored: [Row] = []
  private var goneCount = 0
  private var bytes = 0
  private(set) var last: UInt64 = 0

  init(maxBytes: Int?) { self.maxBytes = maxBytes }

  /// Whether values are kept.
  var isOn: Bool { maxBytes != nil }

  /// Keeps the text of a value, and drops the oldest ones beyond the limit.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - event: The number of the event.
  ///   - first: The number of the oldest event that the record still has.
  mutating func keepText(_ text: String, of event: UInt64, first: UInt64) {
    guard let maxBytes, event >= first, text.utf8.count <= maxBytes else { return }
    last += 1
    stored.append(Row(serial: last, event: event, text: text))
    bytes += text.utf8.count
    while goneCount < stored.count, bytes > maxBytes || stored[goneCount].event < first {
      bytes -= stored[goneCount].text.utf8.count
      stored[goneCount] = Row(serial: 0, event: 0, text: "")
      goneCount += 1
    }
    guard goneCount > 64, goneCount * 2 > stored.count else { return }
    stored.removeFirst(goneCount)
    goneCount = 0
  }

  /// The values with serial numbers above `serial`, of the events from the number `first` on.
  ///
  /// - Complexity: O(*n*) in the number of values after the serial number.
  func rows(after serial: UInt64, first: UInt64) -> [Row] {
    var start = stored.endIndex
    while start > goneCount, stored[start - 1].serial > serial { start -= 1 }
    return stored[start...].filter { $0.event >= first }
  }
}
