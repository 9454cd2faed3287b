import Testing

@testable import StreamQuery

/// Parts whose own `encode(to:)` nests as deep as their data says.
struct DeepEncodingTests {
  private func reason(_ part: some Hashable & Sendable) -> KeyEncodingError.Reason? {
    let key = AnyQueryKey("k", part)
    return onSmallStack { () -> KeyEncodingError.Reason? in
      do throws(KeyEncodingError) {
        _ = try key.canonicalText()
        return nil
      } catch {
        return error.reason
      }
    } ?? nil
  }

  @Test(
    "values in values end at the limit, before the stack does",
    arguments: Countdown.Form.allCases
  )
  func valuesInValues(form: Countdown.Form) {
    for count in [65, 200, 100_000, .max] {
      expectEqual(reason(Countdown(count: count, form: form)), .tooDeep(limit: 64), "\(count)")
    }
    expectNil(reason(Countdown(count: 25, form: form)))
  }

  @Test("values that are written as other values end as well") func singleValues() {
    expectNil(reason(Wrapped(count: 100)))
    expectEqual(reason(Wrapped(count: 100_000)), .tooDeep(limit: 64))
  }

  @Test("containers in containers end at the limit", arguments: Ladder.Form.allCases)
  func containersInContainers(form: Ladder.Form) {
    expectNil(reason(Ladder(count: 50, form: form)))
    expectEqual(reason(Ladder(count: 100_000, form: form)), .tooDeep(limit: 64))
  }

  @Test("who catches the error gets no text of another value") func swallowed() {
    expectNil(reason(Swallower(count: 20)))
    expectEqual(reason(Swallower(count: 1_000)), .tooDeep(limit: 64))
  }

  @Test("sets and dictionaries count") func setsAndDictionaries() {
    expectNil(reason(Sets(count: 20)))
    expectEqual(reason(Sets(count: 100_000)), .tooDeep(limit: 64))
  }
}

struct Countdown: Hashable, Encodable, Sendable {
  enum Form: CaseIterable { case keyed, list, field }

  var count: Int
  var form: Form

  enum Keys: String, CodingKey { case next }

  func encode(to encoder: any Encoder) throws {
    guard count > 0 else { return }
    let next = Countdown(count: count - 1, form: form)
    switch form {
    case .keyed:
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(next, forKey: .next)
    case .list:
      var container = encoder.unkeyedContainer()
      try container.encode(next)
    case .field:
      var container = encoder.container(keyedBy: Keys.self)
      var list = container.nestedUnkeyedContainer(forKey: .next)
      try list.encode(next)
    }
  }
}

struct Wrapped: Hashable, Encodable, Sendable {
  var count: Int

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if count == 0 {
      try container.encode(1)
    } else {
      try container.encode(Wrapped(count: count - 1))
    }
  }
}

struct Ladder: Hashable, Encodable, Sendable {
  enum Form: CaseIterable { case lists, objects, supers }

  var count: Int
  var form: Form

  func encode(to encoder: any Encoder) throws {
    switch form {
    case .lists:
      var container = encoder.unkeyedContainer()
      for _ in 0..<count { container = container.nestedUnkeyedContainer() }
      try container.encodeNil()
    case .objects:
      var container = encoder.container(keyedBy: Countdown.Keys.self)
      for _ in 0..<count {
        container = container.nestedContainer(keyedBy: Countdown.Keys.self, forKey: .next)
      }
      try container.encodeNil(forKey: .next)
    case .supers:
      var encoder = encoder
      for _ in 0..<count {
        var container = encoder.unkeyedContainer()
        encoder = container.superEncoder()
      }
    }
  }
}

struct Swallower: Hashable, Encodable, Sendable {
  var count: Int

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    if count > 0 { try? container.encode(Swallower(count: count - 1)) }
  }
}

struct Sets: Hashable, Encodable, Sendable {
  var count: Int

  func encode(to encoder: any Encoder) throws {
    guard count > 0 else { return }
    let next = Sets(count: count - 1)
    var container = encoder.singleValueContainer()
    if count.isMultiple(of: 2) {
      try container.encode([next] as Set)
    } else {
      try container.encode([next: 1])
    }
  }
}
