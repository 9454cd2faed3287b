extension Duration {
  /// The duration as text, rounded down, such as `1.2 s` or `2 min 5 s`; a negative duration counts as zero.
  var spanText: String {
    let (seconds, attoseconds) = min(max(self, .zero), .seconds(Int64.max)).components
    let milliseconds = attoseconds / 1_000_000_000_000_000
    func joined(_ large: Int64, _ largeUnit: String, _ small: Int64, _ smallUnit: String) -> String
    {
      small == 0 ? "\(large) \(largeUnit)" : "\(large) \(largeUnit) \(small) \(smallUnit)"
    }
    switch seconds {
    case 0: return milliseconds == 0 ? "less than 1 ms" : "\(milliseconds) ms"
    case 1..<10:
      let tenths = milliseconds / 100
      return tenths == 0 ? "\(seconds) s" : "\(seconds).\(tenths) s"
    case 10..<60: return "\(seconds) s"
    case 60..<3_600: return joined(seconds / 60, "min", seconds % 60, "s")
    case 3_600..<86_400: return joined(seconds / 3_600, "h", seconds / 60 % 60, "min")
    case _: return joined(seconds / 86_400, "d", seconds / 3_600 % 24, "h")
    }
  }
}

extension Int {
  /// Returns the number with a noun, such as `1 caller` or `2 callers`.
  ///
  /// - Parameters:
  ///   - one: The noun.
  ///   - many: The plural of the noun; by default the noun with an "s".
  /// - Returns: The text.
  func counted(_ one: String, _ many: String? = nil) -> String {
    self == 1 ? "1 \(one)" : "\(self) \(many ?? one + "s")"
  }
}
