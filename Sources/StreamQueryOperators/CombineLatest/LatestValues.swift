/// The newest element of each upstream of `combineLatest`.
protocol LatestValues: Sendable {
  associatedtype Combined: Sendable

  /// All of them, once each upstream has produced one.
  var combined: Combined? { get }
}

struct Latest2<A: Sendable, B: Sendable>: LatestValues {
  var a: A?
  var b: B?

  var combined: (A, B)? {
    guard let a, let b else { return nil }
    return (a, b)
  }
}

struct Latest3<A: Sendable, B: Sendable, C: Sendable>: LatestValues {
  var a: A?
  var b: B?
  var c: C?

  var combined: (A, B, C)? {
    guard let a, let b, let c else { return nil }
    return (a, b, c)
  }
}

struct Latest4<A: Sendable, B: Sendable, C: Sendable, D: Sendable>: LatestValues {
  var a: A?
  var b: B?
  var c: C?
  var d: D?

  var combined: (A, B, C, D)? {
    guard let a, let b, let c, let d else { return nil }
    return (a, b, c, d)
  }
}

struct Latest5<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable>: LatestValues {
  var a: A?
  var b: B?
  var c: C?
  var d: D?
  var e: E?

  var combined: (A, B, C, D, E)? {
    guard let a, let b, let c, let d, let e else { return nil }
    return (a, b, c, d, e)
  }
}

struct Latest6<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable>:
  LatestValues
{
  var a: A?
  var b: B?
  var c: C?
  var d: D?
  var e: E?
  var f: F?

  var combined: (A, B, C, D, E, F)? {
    guard let a, let b, let c, let d, let e, let f else { return nil }
    return (a, b, c, d, e, f)
  }
}

struct LatestArray<Value: Sendable>: LatestValues {
  private var values: [Value?]
  private var missing: Int

  init(count: Int) {
    values = Array(repeating: nil, count: count)
    missing = count
  }

  var combined: [Value]? {
    missing == 0 ? values.compactMap(\.self) : nil
  }

  mutating func update(_ value: Value, at index: Int) {
    if values[index] == nil { missing -= 1 }
    values[index] = value
  }
}
