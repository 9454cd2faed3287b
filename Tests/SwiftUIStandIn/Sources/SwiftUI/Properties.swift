// Documented by Apple.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Observation
@_spi(Reflection) internal import Swift

// As in Apple's interface, the requirement has no isolation.
public protocol DynamicProperty { mutating func update() }
extension DynamicProperty { public mutating func update() {} }

/// A dynamic property that gets its storage or its value from a node.
@MainActor
protocol Installable {
  mutating func install(_ node: Node, _ offset: Int)
}

/// Finds the dynamic properties of a view in its memory and installs them in place, the inner before
/// the outer ones.
@MainActor
func install<T>(_ node: Node, in value: inout T, at base: Int = 0) {
  withUnsafeMutablePointer(to: &value) {
    install(node, T.self, UnsafeMutableRawPointer($0), base)
  }
}

@MainActor
private func install(
  _ node: Node,
  _ type: any Any.Type,
  _ memory: UnsafeMutableRawPointer,
  _ base: Int
) {
  var fields: [(Int, any Any.Type)] = []
  _ = _forEachField(of: type) { _, offset, type, _ in
    fields.append((offset, type))
    return true
  }
  for (offset, type) in fields {
    guard let type = type as? any DynamicProperty.Type else { continue }
    func open<P: DynamicProperty>(_: P.Type) {
      let property = (memory + offset).assumingMemoryBound(to: P.self)
      if var value = property.pointee as? any Installable {
        value.install(node, base + offset)
        if let value = value as? P { property.pointee = value }
      } else {
        install(node, P.self, memory + offset, base + offset)
      }
      property.pointee.update()
    }
    open(type)
  }
}

/// The storage of a state; a change draws the views again whose bodies have read the state.
@MainActor
final class Slot<Value> {
  var value: Value {
    didSet {
      for reader in readers.values { reader.node?.invalidate() }
    }
  }
  private var readers: [ObjectIdentifier: WeakNode] = [:]

  init(_ value: Value) { self.value = value }

  func read() -> Value {
    if let node = Node.evaluating { readers[ObjectIdentifier(node)] = WeakNode(node: node) }
    return value
  }
}

private struct WeakNode {
  weak var node: Node?
}

/// A state of a view; each value of the view makes an initial value, and only the first one is used.
@propertyWrapper
public struct State<Value>: DynamicProperty, Installable {
  private let initial: Value
  private var slot: Slot<Value>?

  public init(wrappedValue value: Value) { initial = value }
  public init(initialValue value: Value) { initial = value }

  @MainActor
  mutating func install(_ node: Node, _ offset: Int) {
    if let slot = node.slots[offset] as? Slot<Value> {
      self.slot = slot
    } else {
      let slot = Slot(initial)
      node.slots[offset] = slot
      self.slot = slot
    }
  }

  @MainActor @preconcurrency public var wrappedValue: Value {
    get { slot?.read() ?? initial }
    nonmutating set { slot?.value = newValue }
  }

  @MainActor @preconcurrency public var projectedValue: Binding<Value> {
    guard let slot else { return .constant(initial) }
    return Binding(get: { slot.read() }, set: { slot.value = $0 })
  }
}
extension State: Sendable where Value: Sendable {}
extension State where Value: ExpressibleByNilLiteral {
  public init() { self.init(wrappedValue: nil) }
}

/// Combine's protocol without its publisher, because the stand-in listens to no publisher.
public protocol ObservableObject: AnyObject {}

/// An object of a view; it is made once for each node, when the view is first installed there.
@propertyWrapper
public struct StateObject<ObjectType: ObservableObject>: DynamicProperty, Installable {
  private let make: () -> ObjectType
  private var object: ObjectType?

  public init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) { make = thunk }

  @MainActor
  mutating func install(_ node: Node, _ offset: Int) {
    let object = node.slots[offset] as? ObjectType ?? make()
    node.slots[offset] = object
    self.object = object
  }

  /// The object; outside of a view, each read makes another one, as in SwiftUI.
  @MainActor @preconcurrency public var wrappedValue: ObjectType { object ?? make() }
}

@propertyWrapper @dynamicMemberLookup
public struct Binding<Value>: DynamicProperty {
  private let get: @MainActor () -> Value
  private let set: @MainActor (Value) -> Void

  public init(get: @escaping @MainActor () -> Value, set: @escaping @MainActor (Value) -> Void) {
    self.get = get
    self.set = set
  }

  public static func constant(_ value: Value) -> Self {
    let value = Box(value)
    return Self(get: { value.value }, set: { _ in })
  }

  @MainActor @preconcurrency public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }

  public var projectedValue: Self { self }

  @MainActor
  public subscript<T>(dynamicMember path: WritableKeyPath<Value, T>) -> Binding<T> {
    Binding<T>(
      get: { get()[keyPath: path] },
      set: {
        var value = get()
        value[keyPath: path] = $0
        set(value)
      }
    )
  }
}

@propertyWrapper @dynamicMemberLookup
public struct Bindable<Value: AnyObject & Observable> {
  public var wrappedValue: Value
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  public init(_ value: Value) { wrappedValue = value }
  public var projectedValue: Self { self }
  @MainActor
  public subscript<T>(
    dynamicMember path: ReferenceWritableKeyPath<Value, T>
  ) -> Binding<T> {
    let object = wrappedValue
    return Binding(get: { object[keyPath: path] }, set: { object[keyPath: path] = $0 })
  }
}

@propertyWrapper
public struct Environment<Value>: DynamicProperty, Installable {
  private let read: (EnvironmentValues) -> Value
  private var value: Value?

  public init(_ path: KeyPath<EnvironmentValues, Value>) { read = { $0[keyPath: path] } }

  public init(_ type: Value.Type) where Value: AnyObject & Observable {
    read = { values in
      guard let object = values.objects[ObjectIdentifier(type)] as? Value else {
        // SwiftUI also ends the process if the object is missing.
        fatalError("No Observable object of type \(type) found.")
      }
      return object
    }
  }

  @MainActor
  mutating func install(_ node: Node, _ offset: Int) { value = read(node.environment) }

  @MainActor @preconcurrency public var wrappedValue: Value { value ?? read(EnvironmentValues()) }
}
extension Environment: Sendable where Value: Sendable {}

/// Passes a value where the compiler cannot see that it stays on the main actor.
struct Box<Value>: @unchecked Sendable {
  // Everything here runs on the main actor.
  var value: Value
  init(_ value: Value) { self.value = value }
}
