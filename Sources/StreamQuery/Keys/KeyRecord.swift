/// A part of a key with named fields, whose order does not matter.
///
/// ```swift
/// QueryKey<[Product]>("products", fields: ["category": "books", "page": 2])
/// ```
///
/// As part of a prefix a record matches every record that contains its fields: `["category":
/// "books"]` matches the one above, at any page. Fields that are records or arrays match in the same
/// way. A name that is given twice keeps the last value.
public struct KeyRecord: Hashable, Sendable, _FreeOfActors {
  /// The fields, sorted by name.
  let fields: [KeyField]

  init(sorted fields: [KeyField]) {
    self.fields = fields
  }

  /// Creates a record from fields that are known only at run time.
  ///
  /// - Parameter fields: Names and values.
  public init(_ fields: [String: (any Hashable & Sendable)?]) {
    self.fields = fields.map { KeyField(name: $0.key, part: KeyPart.make(optional: $0.value)) }
      .sorted { $0.name < $1.name }
  }
}

extension KeyRecord: ExpressibleByDictionaryLiteral {
  /// Creates a record from its fields.
  ///
  /// - Parameter elements: Names and values; `nil` is a value too.
  public init(dictionaryLiteral elements: (String, (any Hashable & Sendable)?)...) {
    fields = elements.isEmpty ? [] : KeyRecord.fields(elements)
  }

  /// Sorts fields by name.
  ///
  /// This is not inlined, so that keys without fields, which a server makes at each call, need no room for
  /// it.
  @inline(never)
  private static func fields(_ elements: [(String, (any Hashable & Sendable)?)]) -> [KeyField] {
    var fields: [KeyField] = []
    fields.reserveCapacity(elements.count)
    for (name, value) in elements {
      let part = KeyPart.make(optional: value)
      let index = fields.firstIndex { $0.name >= name } ?? fields.endIndex
      if index < fields.endIndex, fields[index].name == name {
        fields[index].part = part
      } else {
        fields.insert(KeyField(name: name, part: part), at: index)
      }
    }
    return fields
  }
}
