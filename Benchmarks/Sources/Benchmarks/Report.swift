import Foundation

/// Writes the results of a run, as a table for people and as JSON for programs.
enum Report {
  struct Document: Codable {
    var toolchain: String
    var rows: [Row]
    /// Allocations of one operation, by counted case.
    var allocations: [String: Double]
    /// Instructions of one operation, as the guard recorded them.
    var instructions: [String: Int]
  }

  /// Reads the recorded numbers of instructions, which valgrind has counted.
  static func instructions(recordedIn path: String) -> [String: Int] {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [:] }
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    let pairs = lines.map { $0.split(separator: " ") }.compactMap { words -> (String, Int)? in
      guard words.count == 3, let count = Int(words[1]) else { return nil }
      return (String(words[0]), count)
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// The counts of one operation of each counted case, as a table in Markdown.
  static func markdown(counts document: Document) -> String {
    var lines = ["| counted case | instructions | allocations |", "|---|---|---|"]
    for (id, allocations) in document.allocations.sorted(by: { $0.key < $1.key }) {
      let instructions = document.instructions[id].map(String.init) ?? ""
      lines.append("| `\(id)` | \(instructions) | \(String(format: "%.2f", allocations)) |")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  static var toolchain: String {
    #if compiler(>=6.4)
    "Swift 6.4 or later"
    #elseif compiler(>=6.3)
    "Swift 6.3"
    #else
    "Swift 6.2"
    #endif
  }

  static func printLine(_ row: Row) {
    var line = row.id.padding(toLength: 24, withPad: " ", startingAt: 0)
    line += pad(text(row.value, row.unit), 12)
    line += pad(target(row), 12)
    line += pad(row.isMet.map { $0 ? "met" : "MISSED" } ?? "", 8)
    line += pad(row.ratio.map { String(format: "%.1f x", $0) } ?? "", 10)
    line += "  \(row.title)"
    print(line)
    fflush(nil)
  }

  /// The target of a row: a multiple of its raw limit, or an amount.
  private static func target(_ row: Row) -> String {
    if let ratio = row.ratioTarget { return String(format: "%g x", ratio) }
    return row.target.map { text($0, row.unit) } ?? ""
  }

  static func printHeader() {
    print("case                            value      target            ratio  what")
  }

  static func text(_ value: Double, _ unit: Row.Unit) -> String {
    switch unit {
    case .nanoseconds:
      value < 1_000
        ? String(format: "%.0f ns", value)
        : value < 1e6
          ? String(format: "%.2f us", value / 1e3) : String(format: "%.2f ms", value / 1e6)
    case .bytes:
      value < 100_000 ? String(format: "%.0f B", value) : String(format: "%.2f MB", value / 1e6)
    case .perSecond: String(format: "%.0f /s", value)
    case .count: String(format: "%.1f", value)
    }
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
  }

  static func write(_ document: Document, to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(document).write(to: URL(fileURLWithPath: path))
  }

  /// The rows as a table in Markdown.
  static func markdown(_ rows: [Row]) -> String {
    var lines = ["| case | time | target | over the raw limit |", "|---|---|---|---|"]
    for row in rows {
      let ratio =
        row.ratio.map { ratio in
          String(format: "%.1f × ", ratio) + "`\(row.limit ?? "")`"
        } ?? ""
      let title = row.id.hasPrefix("raw.") ? "`\(row.id)`: \(row.title)" : row.title
      lines.append("| \(title) | \(text(row.value, row.unit)) | \(target(row)) | \(ratio) |")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
