extension KeyPart {
  /// Compares the part with another one: by their kinds, then by `<` of users' types.
  ///
  /// This order serves only to search among keys with one hash, so any order will do.
  ///
  /// - Returns: The order; `nil` if values of the type have none.
  func order(to other: KeyPart) -> KeyOrder? {
    switch (self, other) {
    case (.string(let one), .string(let two)): .between(one, two)
    case (.int(let one), .int(let two)): .between(one, two)
    case (.boxed(let one), .boxed(let two)): one.order(to: two)
    case _ where kind != other.kind: .between(kind, other.kind)
    default: self == other ? .beside : nil
    }
  }
}

extension KeyStorage {
  /// Compares a key with another one, part by part.
  func order(to other: KeyStorage) -> KeyOrder? {
    for (one, two) in zip(parts, other.parts) {
      guard let order = one.order(to: two) else { return nil }
      if order != .beside { return order }
    }
    return .between(parts.count, other.parts.count)
  }
}

extension TypedKeyPartBox {
  func order(to other: any KeyPartBox) -> KeyOrder? {
    guard let other = other as? TypedKeyPartBox<Value> else {
      return .between(ObjectIdentifier(type(of: self)), ObjectIdentifier(type(of: other)))
    }
    guard let type = Value.self as? any Comparable.Type else { return nil }
    return Self.compare(typed, other.typed, as: type)
  }

  private static func compare<Known: Comparable>(
    _ one: Value,
    _ two: Value,
    as type: Known.Type
  ) -> KeyOrder? {
    // `Known` and `Value` are the same type, so the cast never fails.
    guard let one = one as? Known, let two = two as? Known else { return nil }
    return .between(one, two)
  }
}
