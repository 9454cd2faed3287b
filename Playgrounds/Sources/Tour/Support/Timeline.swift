/// Prints a line for each event: milliseconds since the start, who acted, and the event.
///
/// ```text
///     0 ms  server   listens
///   128 ms  screen   success Ada
/// ```
struct Timeline: Sendable {
  private let start = ContinuousClock.now

  /// The time since the timeline was made.
  var elapsed: Duration { start.duration(to: .now) }

  /// Prints one line.
  func note(_ who: String, _ what: String) {
    let time = padLeft(String(Int(elapsed / .milliseconds(1))), to: 6)
    print("\(time) ms  \(padRight(who, to: 10)) \(what)")
  }

  /// Prints the title of a part.
  func title(_ text: String) {
    print("\n\(text)\n\(String(repeating: "-", count: text.count))")
  }

  private func padLeft(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private func padRight(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
