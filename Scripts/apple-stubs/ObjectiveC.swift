// The part of the Objective-C runtime that the sources use.
public struct objc_AssociationPolicy: Sendable {
  public static let OBJC_ASSOCIATION_RETAIN = Self()
}
public func objc_setAssociatedObject(
  _ object: Any,
  _ key: UnsafeRawPointer,
  _ value: Any?,
  _ policy: objc_AssociationPolicy
) {}
