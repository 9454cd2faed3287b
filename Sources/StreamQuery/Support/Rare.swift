/// A value that few owners have: one word, and an allocation for those that have it.
struct Rare<Value> {
  private var storage: [Value] = []

  init() {}

  init(_ value: Value) { storage = [value] }

  var isEmpty: Bool {
    @inline(__always) get { storage.isEmpty }
  }

  /// The value, read and changed in place; do not use this if ``isEmpty`` is `true`.
  var value: Value {
    @inline(__always) _read { yield storage[0] }
    @inline(__always) _modify { yield &storage[0] }
  }

  /// A copy of the value; `nil` if there is none.
  ///
  /// Setting this property stores, replaces or removes the value.
  var copy: Value? {
    @inline(__always) get { storage.isEmpty ? nil : storage[0] }
    set {
      if let newValue, !storage.isEmpty {
        storage[0] = newValue
      } else {
        storage = newValue.map { [$0] } ?? []
      }
    }
  }
}

extension Rare: Sendable where Value: Sendable {}
extension Rare: Equatable where Value: Equatable {}
