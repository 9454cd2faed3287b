import Testing

@testable import StreamQuery
import StreamQueryPersistence

/// How deep a key nests depends on data; the stack that it is used on does not.
struct DeepKeyTests {
  enum Shape: CaseIterable {
    case lists, records, keys, mixed
  }

  /// A part of so many levels around another.
  static func nest(
    _ levels: Int,
    _ shape: Shape = .lists,
    around core: AnyQueryKeyPart = AnyQueryKeyPart(1)
  ) -> AnyQueryKeyPart {
    var part = core
    for level in 0..<levels {
      switch (shape, level % 3) {
      case (.lists, _), (.mixed, 0): part = AnyQueryKeyPart([AnyQueryKeyPart("x"), part])
      case (.records, _), (.mixed, 1): part = AnyQueryKeyPart(KeyRecord(["a": part, "b": 2]))
      default: part = AnyQueryKeyPart([AnyQueryKey(part, level % 7)])
      }
    }
    return part
  }

  @Test("very many levels are compared, hashed, shown, cached and freed on a small stack")
  func manyLevels() {
    for shape in Shape.allCases {
      let answers = onSmallStack { () -> [Bool] in
        let levels = Seeds.times(100_000, orElse: 10_000)
        let key = QueryKey<Int>("deep", Self.nest(levels, shape))
        let same = QueryKey<Int>("deep", Self.nest(levels, shape))
        let other = QueryKey<Int>("deep", Self.nest(levels, shape, around: AnyQueryKeyPart(2)))
        let longer = QueryKey<Int>("deep", Self.nest(levels + 1, shape))
        let client = QueryClient()
        client.setData(1, for: key)
        client.setData(2, for: other)
        let text: Result<String, KeyEncodingError> = Result { () throws(KeyEncodingError) in
          try key.canonicalText()
        }
        var reason: KeyEncodingError.Reason?
        if case .failure(let error) = text { reason = error.reason }
        let before = client.data(for: same)
        client.remove(key)
        return [
          key == same, key.hashValue == same.hashValue, key != other, key != longer,
          Set([key, same, other, longer]).count == 3,
          key.erased.isPrefix(of: same), !key.erased.isPrefix(of: other),
          AnyQueryKey("deep").isPrefix(of: longer),
          key.description == same.description && key.description.count < 400,
          reason == .tooDeep(limit: 64),
          before == 1, client.data(for: key) == nil, client.data(for: other) == 2,
          client.export().skipped.count == 1,
        ]
      }
      expectEqual(answers, Array(repeating: true, count: 14), "\(shape)")
    }
  }

  @Test("what several keys share is freed with the last of them, whichever that is")
  func sharedLevels() {
    let counts = onSmallStack { () -> [Int] in
      weak var core: Core?
      func make() -> (AnyQueryKeyPart, [AnyQueryKeyPart]) {
        let value = Core()
        core = value
        let inner = Self.nest(50_000, around: AnyQueryKeyPart(value))
        return (inner, (0..<3).map { _ in Self.nest(50_000, around: inner) })
      }
      var (inner, outer): (AnyQueryKeyPart?, [AnyQueryKeyPart]) = make()
      var counts = [core == nil ? 0 : 1]
      outer.removeFirst()
      counts.append(core == nil ? 0 : 1)
      inner = nil
      counts.append(core == nil || inner != nil ? 0 : 1)
      counts.append(outer[0] == outer[1] ? 1 : 0)
      outer.removeAll()
      counts.append(core == nil ? 0 : 1)
      return counts
    }
    expectEqual(counts, [1, 1, 1, 1, 0])
  }

  @Test("a key of 64 levels has a text, one of 65 has none", arguments: Shape.allCases)
  func limit(shape: Shape) throws {
    let texts = onSmallStack { () -> [String?] in
      (60...68).map { levels in
        try? AnyQueryKey("k", Self.nest(levels, shape)).canonicalText()
      }
    }
    for text in try #require(texts) {
      guard let text else { continue }
      var (depth, deepest) = (0, 0)
      for byte in text.utf8 {
        if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") { depth += 1 }
        if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") { depth -= 1 }
        deepest = max(depth, deepest)
      }
      #expect(deepest <= 64)
      let read = onSmallStack { try? KeyVocabulary().key(Substring(text)).canonicalText() }
      expectEqual(read, .some(text))
    }
    // The key itself is the first level; a key in a list is two.
    switch shape {
    case .lists, .records:
      expectEqual(texts?.map { $0 != nil }, (60...68).map { $0 <= 63 })
    case .keys, .mixed: expectEqual(texts?.last, .some(nil))
    }
  }

  @Test("the text of a key that nests too deep says which part, and what of it")
  func error() {
    let key = AnyQueryKey("a", 1, Self.nest(200))
    #expect(throws: KeyEncodingError(part: 2, typeName: "Array", reason: .tooDeep(limit: 64))) {
      try key.canonicalText()
    }
    let error = KeyEncodingError(part: 2, typeName: "Array", reason: .tooDeep(limit: 64))
    expectEqual(
      error.description,
      "part 2 of the key is of type Array and nests deeper than 64 levels: the key cannot be persisted"
    )
  }

  /// Random trees against a rule without limits.
  @Test(arguments: Seeds.few(2))
  func matchingAndEqualityAreThoseOfTheTrees(seed: UInt64) {
    var random = TreeRandom(state: seed + 1)
    var (matches, misses) = (0, 0)
    for _ in 0..<60 {
      let tree = Tree.random(depth: Int.random(in: 1...50, using: &random), &random)
      let prefix = tree.reduced(&random)
      let other = Bool.random(using: &random) ? tree : tree.reduced(&random)
      let (key, prefixKey) = (AnyQueryKey(tree.part), AnyQueryKey(prefix.part))
      expect(prefixKey.isPrefix(of: key))
      let otherKey = AnyQueryKey(other.part)
      expectEqual(key == otherKey, tree == other)
      if tree == other { expectEqual(key.hashValue, otherKey.hashValue) }
      expectEqual(prefixKey.isPrefix(of: otherKey), prefix.matches(other))
      expectEqual(otherKey.isPrefix(of: prefixKey), other.matches(prefix))
      if prefix.matches(other) { matches += 1 } else { misses += 1 }
    }
    #expect(matches > 5 && misses > 5)
  }
}

private final class Core: Hashable, Sendable {
  static func == (lhs: Core, rhs: Core) -> Bool { lhs === rhs }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private struct TreeRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state ^ (state >> 29)) &* 0x9e37_79b9_7f4a_7c15
  }
}

private indirect enum Tree: Equatable {
  case leaf(Int)
  case list([Tree])
  case record([String: Tree])

  static func random(depth: Int, _ random: inout TreeRandom) -> Tree {
    guard depth > 0 else { return .leaf(Int.random(in: 0...2, using: &random)) }
    // One branch goes all the way down, its siblings do not.
    var children = [Tree.random(depth: depth - 1, &random)]
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      let depth = Int.random(in: 0...min(3, depth - 1), using: &random)
      children.insert(.random(depth: depth, &random), at: Int.random(in: 0...1, using: &random))
    }
    if Bool.random(using: &random) { return .list(children) }
    return .record(
      Dictionary(zip("abcd".map(String.init), children), uniquingKeysWith: { $1 })
    )
  }

  /// A tree that matches this one: some elements at the end and some fields are gone.
  func reduced(_ random: inout TreeRandom) -> Tree {
    let cuts = Int.random(in: 0..<12, using: &random) == 0
    switch self {
    case .leaf: return self
    case .list(let elements):
      var reduced: [Tree] = []
      for element in elements { reduced.append(element.reduced(&random)) }
      if cuts, !reduced.isEmpty { reduced.removeLast() }
      return .list(reduced)
    case .record(let fields):
      var reduced: [String: Tree] = [:]
      for (name, tree) in fields.sorted(by: { $0.key < $1.key }) {
        reduced[name] = tree.reduced(&random)
      }
      if cuts, let name = reduced.keys.min() { reduced[name] = nil }
      return .record(reduced)
    }
  }

  func matches(_ other: Tree) -> Bool {
    switch (self, other) {
    case (.leaf(let left), .leaf(let right)): left == right
    case (.list(let left), .list(let right)):
      left.count <= right.count && zip(left, right).allSatisfy { $0.matches($1) }
    case (.record(let left), .record(let right)):
      left.allSatisfy { name, tree in right[name].map { tree.matches($0) } ?? false }
    default: false
    }
  }

  var part: AnyQueryKeyPart {
    switch self {
    case .leaf(let value): AnyQueryKeyPart(value)
    case .list(let elements): AnyQueryKeyPart(elements.map(\.part))
    case .record(let fields): AnyQueryKeyPart(fields.mapValues(\.part))
    }
  }
}
