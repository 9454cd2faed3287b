import StreamQuery

extension AnyQueryKey {
  /// The key that a scenario writes as an array.
  init(_ key: JSON) {
    self = (key.array ?? []).reduce([]) { AnyQueryKey($0, AnyQueryKeyPart($1)) }
  }
}

extension AnyQueryKeyPart {
  init(_ element: JSON) {
    switch element {
    case .null: self.init(String?.none)
    case .bool(let value): self.init(value)
    case .int(let value): self.init(value)
    case .double(let value): self.init(value)
    case .string(let value): self.init(value)
    case .array(let elements): self.init(elements.map { AnyQueryKeyPart($0) })
    case .object(let fields): self.init(KeyRecord(fields.mapValues { AnyQueryKeyPart($0) }))
    }
  }
}

extension QueryKey where Value == JSON {
  init(_ key: JSON) {
    self.init(AnyQueryKey(key))
  }
}
