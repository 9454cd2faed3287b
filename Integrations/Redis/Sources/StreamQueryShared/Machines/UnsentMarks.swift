/// Invalidations that the store did not accept, and that are sent when the store answers again.
///
/// If there are too many, one invalidation of the whole namespace replaces them: so memory is
/// bounded, and no invalidation is lost.
struct UnsentMarks: Sendable {
  private var marks: Set<SharedMark> = []
  /// The number of bytes of all marks' texts.
  private var bytes = 0
  private let limit: Int
  private let byteLimit: Int

  init(limit: Int = 100_000, byteLimit: Int = 16 << 20) {
    self.limit = limit
    self.byteLimit = byteLimit
  }

  var isEmpty: Bool { marks.isEmpty }

  /// Adds marks (keys, prefixes and tags) that the store did not accept.
  ///
  /// - Parameters:
  ///   - marks: The marks.
  ///   - everything: The mark of the whole namespace.
  mutating func keep(_ marks: [SharedMark], orElse everything: SharedMark) {
    guard !self.marks.contains(everything) else { return }
    for mark in marks where self.marks.insert(mark).inserted { bytes += mark.text.utf8.count }
    guard self.marks.count > limit || bytes > byteLimit || marks.contains(everything) else {
      return
    }
    self.marks = [everything]
    bytes = everything.text.utf8.count
  }

  /// Removes some marks (keys, prefixes and tags), because they are sent now.
  ///
  /// - Parameter marks: The marks.
  /// - Returns: The marks that were removed.
  mutating func remove(_ marks: [SharedMark]) -> [SharedMark] {
    marks.filter { mark in
      guard self.marks.remove(mark) != nil else { return false }
      bytes -= mark.text.utf8.count
      return true
    }
  }

  /// Removes and returns all marks.
  mutating func take() -> Set<SharedMark> {
    defer { (marks, bytes) = ([], 0) }
    return marks
  }

  /// Divides marks (keys, prefixes and tags) into parts to send one by one.
  ///
  /// A part has at most `bytes` bytes, which most stores accept, unless it is a single mark that is larger.
  static func parts(of marks: Set<SharedMark>, bytes: Int = 16_384) -> [[SharedMark]] {
    var (parts, size) = ([[SharedMark]](), 0)
    // The order is the same in every process, so that a simulation can repeat it.
    for mark in marks.sorted(by: { $0.text < $1.text }) {
      size += mark.text.utf8.count + 64
      if parts.isEmpty || size > bytes {
        parts.append([])
        size = mark.text.utf8.count + 64
      }
      parts[parts.count - 1].append(mark)
    }
    return parts
  }
}
