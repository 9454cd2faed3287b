/// A query filter for the records in a store whose entries are not in the cache.
///
/// Only the text of a record's key is known. The record counts as an entry that has data and that nobody
/// observes or fetches. If a filter asks for more, as predicates do, the answer is ``Answer/maybe``.
package struct RecordFilter: Hashable, Sendable {
  /// Whether a record matches.
  package enum Answer {
    case no
    /// Only the entry, once it is in the cache, can tell.
    case maybe
    case yes

    var opposite: Answer {
      switch self {
      case .no: .yes
      case .maybe: .maybe
      case .yes: .no
      }
    }
  }

  private indirect enum Node: Hashable, Sendable {
    case constant(Bool)
    case unknown
    case key(String)
    /// The text of a key without its last bracket.
    case prefix(String)
    case shape(RecordShape)
    case and([Node])
    case or([Node])
    case not(Node)
  }

  private let node: Node
  /// Whether the filter is about keys only, so that its answer for a record holds for the cached entry too.
  package let isOfKeys: Bool

  /// Makes the filter for records from a filter of queries.
  ///
  /// This encodes keys, which runs user code, so do not call it under a lock.
  package init(_ filter: QueryFilter) { self.init(filter, isActive: false) }

  /// Makes the filter for records of entries that are active, or of those that are not.
  init(_ filter: QueryFilter, isActive: Bool) {
    var isOfKeys = true
    node = Self.node(of: filter.node, isActive, &isOfKeys)
    self.isOfKeys = isOfKeys
  }

  /// Returns whether a record matches.
  ///
  /// - Parameter text: The type and the key of an entry.
  /// - Returns: The answer.
  package func answer(for text: String) -> Answer { Self.answer(node, text) }

  /// The texts of all matches, if they are known; `nil` if each record has to be examined.
  package var exactTexts: Set<String>? { Self.exactTexts(of: node) }

  private static func exactTexts(of node: Node) -> Set<String>? {
    switch node {
    case .constant(false): return []
    case .key(let key): return [key]
    case .or(let nodes):
      var all: Set<String> = []
      for node in nodes {
        guard let texts = exactTexts(of: node) else { return nil }
        all.formUnion(texts)
      }
      return all
    default: return nil
    }
  }

  private static func node(
    of node: QueryFilter.Node,
    _ isActive: Bool,
    _ isOfKeys: inout Bool
  ) -> Node {
    switch node {
    case .plain(let filter): return self.node(of: filter, isActive, &isOfKeys)
    case .predicate:
      isOfKeys = false
      return .unknown
    case .and(let nodes): return .and(nodes.map { self.node(of: $0, isActive, &isOfKeys) })
    case .or(let nodes): return .or(nodes.map { self.node(of: $0, isActive, &isOfKeys) })
    case .not(let operand): return .not(self.node(of: operand, isActive, &isOfKeys))
    }
  }

  private static func node(
    of filter: EntryFilter,
    _ isActive: Bool,
    _ isOfKeys: inout Bool
  ) -> Node {
    switch filter {
    case .all: return .constant(true)
    // If the key has no text, the entry was never saved, and no record matches.
    case .entry(let key): return (try? key.canonicalText()).map(Node.key) ?? .constant(false)
    case .prefix(let key):
      guard let text = try? key.canonicalText() else { return .constant(false) }
      guard key.storage.parts.contains(where: \.matchesMoreThanItself) else {
        return .prefix(String(text.dropLast()))
      }
      let shapes = try? RecordShape.shapes(of: key.storage.parts)
      return shapes.map { .shape(.list($0)) } ?? .constant(false)
    case .stale:
      isOfKeys = false
      return .unknown
    case .active:
      isOfKeys = false
      return .constant(isActive)
    case .status(let status):
      isOfKeys = false
      return .constant(status == .success)
    case .fetchStatus(let status):
      isOfKeys = false
      return .constant(status == .idle)
    case .and(let filters): return .and(filters.map { node(of: $0, isActive, &isOfKeys) })
    case .or(let filters): return .or(filters.map { node(of: $0, isActive, &isOfKeys) })
    case .not(let operand): return .not(node(of: operand, isActive, &isOfKeys))
    }
  }

  private static func key(in text: String) -> Substring.UTF8View {
    // The key begins at the first bracket, because the name of a type has none.
    text.utf8.drop { $0 != UInt8(ascii: "[") }
  }

  private static func answer(_ node: Node, _ text: String) -> Answer {
    switch node {
    case .constant(let value): return value ? .yes : .no
    case .unknown: return .maybe
    case .key(let key): return key == text ? .yes : .no
    case .prefix(let prefix):
      let key = self.key(in: text)
      guard key.starts(with: prefix.utf8) else { return .no }
      guard prefix.utf8.count > 1 else { return .yes }
      let next = key.dropFirst(prefix.utf8.count).first
      return next == UInt8(ascii: ",") || next == UInt8(ascii: "]") ? .yes : .no
    case .shape(let shape): return shape.describes(key(in: text)) ? .yes : .no
    case .and(let nodes):
      let answers = nodes.map { answer($0, text) }
      return answers.contains(.no) ? .no : answers.contains(.maybe) ? .maybe : .yes
    case .or(let nodes):
      let answers = nodes.map { answer($0, text) }
      return answers.contains(.yes) ? .yes : answers.contains(.maybe) ? .maybe : .no
    case .not(let operand): return answer(operand, text).opposite
    }
  }
}
