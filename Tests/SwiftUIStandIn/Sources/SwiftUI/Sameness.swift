@_spi(Reflection) internal import Swift

/// Whether two values are the same field by field, as SwiftUI compares many views.
///
/// Two fields are the same if they are equal values, the same object, or closures with the same code and
/// context. Bytes between fields are ignored.
func isSame<T>(_ one: T, _ other: any Any) -> Bool {
  guard let other = other as? T else { return false }
  return isSameField(one, other)
}

private func isSameField<T>(_ one: T, _ other: T) -> Bool {
  if T.self is AnyClass { return (one as AnyObject) === (other as AnyObject) }
  if let one = one as? any Equatable, type(of: one) == T.self { return isEqual(one, other) }
  if let one = one as? any OptionalField { return one.isSame(as: other) }
  if let one = one as? any View, type(of: one) != T.self { return isSame(one, other) }
  // The field has an existential type, so only its bytes are compared.
  guard type(of: one as Any) == T.self else { return haveSameBytes(one, other) }
  switch Mirror(reflecting: one).displayStyle {
  case .struct?: return haveSameFields(one, other)
  case .enum?:
    let (one, other) = (Mirror(reflecting: one).children, Mirror(reflecting: other).children)
    guard let one = one.first, let other = other.first else { break }
    func open<P>(_ one: P) -> Bool { isSame(one, other.value) }
    return one.label == other.label && _openExistential(one.value, do: open)
  default: break
  }
  // A value without fields, such as a closure, has no bytes between them, so all bytes are compared.
  return haveSameBytes(one, other)
}

private func haveSameBytes<T>(_ one: T, _ other: T) -> Bool {
  withUnsafeBytes(of: one) { one in withUnsafeBytes(of: other) { one.elementsEqual($0) } }
}

private func haveSameFields<T>(_ one: T, _ other: T) -> Bool {
  var fields: [(Int, any Any.Type)] = []
  _ = _forEachField(of: T.self) { _, offset, type, _ in
    fields.append((offset, type))
    return true
  }
  return withUnsafePointer(to: one) { one in
    withUnsafePointer(to: other) { other in
      fields.allSatisfy { offset, type in
        func open<F>(_: F.Type) -> Bool {
          isSameField(
            (UnsafeRawPointer(one) + offset).assumingMemoryBound(to: F.self).pointee,
            (UnsafeRawPointer(other) + offset).assumingMemoryBound(to: F.self).pointee
          )
        }
        return _openExistential(type, do: open)
      }
    }
  }
}

private func isEqual<T: Equatable>(_ one: T, _ other: Any) -> Bool { one == other as? T }

private protocol OptionalField {
  func isSame(as other: Any) -> Bool
}

extension Optional: OptionalField {
  fileprivate func isSame(as other: Any) -> Bool {
    guard let other = other as? Self else { return false }
    return switch (self, other) {
    case (nil, nil): true
    case (let one?, let other?): isSameField(one, other)
    case (_, _): false
    }
  }
}
