/// What one column of a marble diagram says, or one token of a group.
enum Marble: Hashable, Sendable, CustomStringConvertible {
  case element(String)
  /// `|`
  case finish
  /// `^`: the failure of an input.
  case failure
  /// `!`: an error that the operator made itself.
  case operatorError
  /// `;` in an output: the consumer is cancelled, and its sequence ends in the same tick.
  case cancel

  init(_ character: Character) {
    switch character {
    case "|": self = .finish
    case "^": self = .failure
    case "!": self = .operatorError
    case ";": self = .cancel
    default: self = .element(String(character))
    }
  }

  var description: String {
    switch self {
    case .element(let text): text.count == 1 ? text : "(\(text))"
    case .finish: "|"
    case .failure: "^"
    case .operatorError: "!"
    case .cancel: ";"
    }
  }

  var isEnd: Bool {
    if case .element = self { return false }
    return true
  }
}

/// Marbles by tick: the meaning of a diagram.
///
/// ```
/// --a-[bc]-(a1)-|
/// ```
/// Each `-`, each marble and each group is one tick. `[bc]` are several marbles in one tick,
/// `(a1)` is one marble with a longer name. Spaces count for nothing: they align lines.
struct MarbleLine: Equatable, Sendable, CustomStringConvertible {
  var marbles: [Int: [Marble]] = [:]
  private(set) var length = 0

  init() {}

  init(_ text: String) {
    var group: [Marble]?
    var name: String?
    for character in text where character != " " {
      switch character {
      case "(": name = ""
      case ")":
        add(.element(name ?? ""), to: &group)
        name = nil
      case _ where name != nil: name?.append(character)
      case "[": group = []
      case "]":
        marbles[length] = group
        length += 1
        group = nil
      case "-": length += 1
      default: add(Marble(character), to: &group)
      }
    }
  }

  private mutating func add(_ marble: Marble, to group: inout [Marble]?) {
    if group != nil {
      group?.append(marble)
    } else {
      marbles[length] = [marble]
      length += 1
    }
  }

  /// The same marbles with each tick sorted, for outputs whose order within a tick is open.
  var sortedWithinTicks: Self {
    var line = self
    line.marbles = marbles.mapValues { $0.sorted { "\($0)" < "\($1)" } }
    return line
  }

  static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.marbles == rhs.marbles
  }

  var description: String {
    guard let last = marbles.keys.max() else { return "-" }
    return (0...last).map { tick in
      switch marbles[tick, default: []] {
      case let group where group.isEmpty: "-"
      case let group where group.count == 1: group[0].description
      case let group: "[" + group.map(\.description).joined() + "]"
      }
    }
    .joined()
  }
}
