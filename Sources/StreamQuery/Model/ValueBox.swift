/// A value behind an erased face: the one generic boundary of the cache.
///
/// The cache, its entries and frames are not generic; a value is boxed once when it arrives and read
/// through ``TypedBox``. Immutable, so that a box may be read without a lock for as long as anyone
/// holds it. `Sendable` is right, since the only subclasses are ``TypedBox`` and `LayeredBox`, whose
/// stored properties are immutable and `Sendable`.
@usableFromInline package class ValueBox: @unchecked Sendable {
  @usableFromInline
  init() {}

  /// The box that holds the value itself; works it out if need be, so never under the lock.
  package var settled: ValueBox { self }

  /// The value as itself, for code that does not know its type.
  package var erased: any Sendable {
    // Unreachable: only subclasses are made, and both override this.
    fatalError("abstract: only subclasses are made")
  }

  /// The value, which must be of the type that the entry's key names.
  ///
  /// - Parameter type: The value type of the key under which the box was stored.
  /// - Returns: The value.
  package func value<Value: Sendable>(as type: Value.Type) -> Value {
    // The value type is part of an entry's identity, so a box under a key has the key's type: every
    // write goes through a `QueryKey<Value>`. Checked in debug builds by `unsafeDowncast` itself.
    unsafeDowncast(self, to: TypedBox<Value>.self).value
  }

  /// The plan of a key of which nothing is known but that it has this value.
  var barePlan: QueryPlan {
    // Unreachable: what is written is a value, and its box overrides this.
    fatalError("abstract: only values are written")
  }

  /// Whether a box holds an equal value, or the same object; runs user code, so never under the lock.
  ///
  /// - Parameter other: The box.
  /// - Returns: `false` also if values of the type cannot be compared.
  func holdsTheSame(as other: ValueBox) -> Bool { self === other }
}

/// The typed half of ``ValueBox``: one immutable `Sendable` property.
///
/// Made in the user's module, where the type of the value is known: elsewhere each box would first
/// have its own type looked up. Its one property is immutable, and so `Sendable` as it says.
@usableFromInline package final class TypedBox<Value: Sendable>: ValueBox, @unchecked Sendable {
  @usableFromInline
  package let value: Value

  @inlinable
  package init(_ value: Value) {
    self.value = value
    super.init()
  }

  package override var erased: any Sendable { value }

  override var barePlan: QueryPlan { QueryPlan(of: Value.self) }

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

/// An error on the heap, so that a turn can hand it out of the lock as one reference.
package final class ErrorBox: Sendable {
  package let error: any Error

  package init(_ error: any Error) {
    self.error = error
  }
}
