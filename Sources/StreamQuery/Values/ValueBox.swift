/// A value whose type is erased: the only place where the cache meets generic types.
///
/// The cache, its entries and its snapshots are not generic. A value is boxed once when it arrives
/// and is read through ``TypedBox``. A box is immutable, so it may be read without a lock for as
/// long as anyone holds it. `Sendable` is correct because the only subclasses are ``TypedBox`` and
/// `LayeredBox`, whose stored properties are immutable and `Sendable`.
@usableFromInline package class ValueBox: @unchecked Sendable {
  @usableFromInline
  init() {}

  /// The box of the value that callers get: this box or, for a `LayeredBox`, the box with its result.
  ///
  /// This may run user code, so do not call it under the lock.
  package var settled: ValueBox { self }

  /// The value, for code that does not know its type.
  package var erased: any Sendable {
    // Nothing calls this: only subclasses have instances, and both override it.
    fatalError("abstract: only subclasses are made")
  }

  /// The value, which must be of the type that the entry's key names.
  ///
  /// - Parameter type: The value type of the key under which the box was stored.
  /// - Returns: The value.
  package func value<Value: Sendable>(as type: Value.Type) -> Value {
    // The value type is part of an entry's identity, so a box under a key has the key's type: every
    // write goes through a `QueryKey<Value>`. `unsafeDowncast` checks it in debug builds.
    unsafeDowncast(self, to: TypedBox<Value>.self).value
  }

  /// The type of the value.
  var valueType: any Sendable.Type {
    // Nothing calls this: only values are written, and the boxes of values override it.
    fatalError("abstract: only values are written")
  }

  /// Whether a box holds an equal value or the same object.
  ///
  /// This runs user code, so do not call it under the lock.
  ///
  /// - Parameter other: The box.
  /// - Returns: Whether it does; `false` if values of the type cannot be compared.
  func holdsTheSame(as other: ValueBox) -> Bool { self === other }
}

/// The typed half of ``ValueBox``.
///
/// A box is made in the user's module, where the value's type is known: elsewhere each box would have to look
/// up its own type. The class is `Sendable`, because its one property is immutable and `Sendable`.
@usableFromInline package final class TypedBox<Value: Sendable>: ValueBox, @unchecked Sendable {
  @usableFromInline
  package let value: Value

  @inlinable
  package init(_ value: Value) {
    self.value = value
    super.init()
  }

  package override var erased: any Sendable { value }

  override var valueType: any Sendable.Type { Value.self }

  override func holdsTheSame(as other: ValueBox) -> Bool {
    guard self !== other else { return true }
    guard let other = other as? TypedBox<Value> else { return false }
    func areEqual<Some: Equatable>(as type: Some.Type) -> Bool {
      guard let mine = value as? Some, let its = other.value as? Some else { return false }
      return mine == its
    }
    if let type = Value.self as? any Equatable.Type { return areEqual(as: type) }
    return Value.self is AnyObject.Type && (value as AnyObject) === (other.value as AnyObject)
  }
}
