/// The typed half of ``ValueBox``: one immutable `Sendable` property.
///
/// It is made in the user's module, where the value's type is known: elsewhere each box would first
/// have to look up its own type. Its one property is immutable, so the box really is `Sendable`.
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
