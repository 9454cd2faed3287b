/// Identifies an entry in the cache: the parts of a key and the type of the value.
///
/// The untyped form of a ``QueryKey``, small enough to be a dictionary key. Its hash was computed
/// when the key was made, so a lookup reads no part unless the hashes are equal.
package struct EntryKey: Sendable {
  let storage: KeyStorage
  package let valueType: any Any.Type

  /// Creates the untyped form of a key.
  ///
  /// - Parameter key: A key.
  package init<Value>(_ key: QueryKey<Value>) {
    storage = key.erased.storage
    valueType = Value.self
  }

  /// Creates a key from its two halves.
  ///
  /// - Parameters:
  ///   - key: The parts.
  ///   - valueType: The type of the value.
  package init(_ key: AnyQueryKey, valueType: any Any.Type) {
    storage = key.storage
    self.valueType = valueType
  }

  /// The parts without the value type.
  package var key: AnyQueryKey { AnyQueryKey(storage: storage) }

  /// The identity of the value's type.
  package var valueTypeID: ObjectIdentifier { ObjectIdentifier(valueType) }

  /// The name of the value's type with its module, for diagnostics.
  package var valueTypeName: String { String(reflecting: valueType) }
}

extension EntryKey: Hashable {
  package static func == (lhs: EntryKey, rhs: EntryKey) -> Bool {
    lhs.valueType == rhs.valueType && lhs.storage == rhs.storage
  }

  package func hash(into hasher: inout Hasher) {
    // Equal parts with different value types are rare: not worth hashing a second word.
    hasher.combine(storage.hash)
  }
}
