/// The difference of two sequences as lines; a line that only one sequence has is marked.
struct SnapshotDifference: Equatable, Sendable {
  /// A line, with the sequences that have it.
  enum Line: Equatable, Sendable {
    case both(String)
    /// The line was recorded, and not expected.
    case extra(String)
    /// The line was expected, and not recorded.
    case missing(String)
  }

  /// The number of equal lines that are shown before and after a difference; others are omitted.
  static var context: Int { 3 }

  let lines: [Line]

  /// Compares two sequences.
  ///
  /// - Complexity: O(*n* · *d*) in the lengths of the sequences and the number of differences.
  init<Element: Equatable>(
    recorded: [Element],
    expected: [Element],
    _ describe: (Element) -> String
  ) {
    var removals: Set<Int> = []
    var insertions: Set<Int> = []
    for change in recorded.difference(from: expected) {
      switch change {
      case .remove(let offset, _, _): removals.insert(offset)
      case .insert(let offset, _, _): insertions.insert(offset)
      }
    }
    var lines: [Line] = []
    var next = 0
    for (offset, element) in expected.enumerated() {
      if removals.contains(offset) {
        lines.append(.missing(describe(element)))
        continue
      }
      while insertions.contains(next) {
        lines.append(.extra(describe(recorded[next])))
        next += 1
      }
      lines.append(.both(describe(element)))
      next += 1
    }
    lines += recorded[next...].map { .extra(describe($0)) }
    self.lines = lines
  }

  /// The lines as text, with a `+` before extra lines and a `-` before missing ones.
  var text: String {
    var result: [String] = []
    var index = 0
    while index < lines.count {
      let end = lines[index...].firstIndex { !$0.isEqual } ?? lines.count
      result += Self.shortened(
        lines[index..<end].map { "    \($0.text)" },
        atStart: index == 0,
        atEnd: end == lines.count
      )
      index = end
      while index < lines.count, !lines[index].isEqual {
        result.append("  \(lines[index].isExtra ? "+" : "-") \(lines[index].text)")
        index += 1
      }
    }
    return result.joined(separator: "\n")
  }

  private static func shortened(_ lines: [String], atStart: Bool, atEnd: Bool) -> [String] {
    let before = atStart ? 0 : context
    let after = atEnd ? 0 : context
    // A single line is not omitted, because the line that states the omission is as long.
    guard lines.count > before + after + 1, lines.count > 2 * context + 1 else { return lines }
    let left = lines.count - before - after
    return lines.prefix(before) + ["    … \(left) that are as expected"] + lines.suffix(after)
  }
}

extension SnapshotDifference.Line {
  var text: String {
    switch self {
    case .both(let text), .extra(let text), .missing(let text): text
    }
  }

  fileprivate var isEqual: Bool {
    if case .both = self { true } else { false }
  }

  fileprivate var isExtra: Bool {
    if case .extra = self { true } else { false }
  }
}
