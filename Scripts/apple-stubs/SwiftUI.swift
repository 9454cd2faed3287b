public import Combine
public import Observation

// The part of SwiftUI that the sources and the sample app use. Isolation is written as the framework has it: a view
// is isolated to the main actor, `DynamicProperty.update()` is not.

@MainActor @preconcurrency
public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}
extension Never: View { public var body: Never { fatalError() } }

@resultBuilder
@MainActor public enum ViewBuilder {
  public static func buildBlock() -> EmptyView { EmptyView() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(
    _ content: repeat each Content
  ) -> TupleView<(repeat each Content)> { TupleView() }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  public static func buildEither<First: View, Second: View>(
    first: First
  ) -> ConditionalContent<First, Second> { ConditionalContent() }
  public static func buildEither<First: View, Second: View>(
    second: Second
  ) -> ConditionalContent<First, Second> { ConditionalContent() }
}
public struct EmptyView: View { public init() {}; public var body: Never { fatalError() } }
public struct TupleView<Content>: View { public var body: Never { fatalError() } }
public struct ConditionalContent<First: View, Second: View>: View {
  public var body: Never { fatalError() }
}
extension Optional: View where Wrapped: View { public var body: Never { fatalError() } }
public struct Text: View {
  public init(_ text: String) {}
  public init(verbatim text: String) {}
  public var body: Never { fatalError() }
}
public struct Button<Label: View>: View {
  public var body: Never { fatalError() }
}
extension Button {
  public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
}
extension Button where Label == Text {
  public init(_ title: String, action: @escaping @MainActor () -> Void) {}
}
public struct HorizontalAlignment: Sendable { public static let leading = HorizontalAlignment() }
public struct VStack<Content: View>: View {
  public init(
    alignment: HorizontalAlignment = .leading,
    spacing: Double? = nil,
    @ViewBuilder content: () -> Content
  ) {}
  public var body: Never { fatalError() }
}
public struct Group<Content: View>: View {
  public init(@ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError() }
}

@MainActor @preconcurrency
public protocol ViewModifier {
  associatedtype Body: View
  typealias Content = ModifierContent<Self>
  @ViewBuilder func body(content: Content) -> Body
}
public struct ModifierContent<Modifier: ViewModifier>: View {
  public var body: Never { fatalError() }
}
public struct ModifiedContent<Content, Modifier> {}
extension ModifiedContent: View where Content: View, Modifier: ViewModifier {
  public var body: Never { fatalError() }
}

public protocol DynamicProperty { mutating func update() }
extension DynamicProperty { public mutating func update() {} }

@propertyWrapper
public struct State<Value>: DynamicProperty {
  private var value: Value
  public init(wrappedValue value: Value) { self.value = value }
  public init(initialValue value: Value) { self.value = value }
  public var wrappedValue: Value {
    get { value }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { Binding(get: { fatalError() }, set: { _ in }) }
}
extension State: Sendable where Value: Sendable {}

@propertyWrapper
public struct StateObject<ObjectType: ObservableObject>: DynamicProperty {
  private let thunk: () -> ObjectType
  public init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) { self.thunk = thunk }
  @MainActor @preconcurrency public var wrappedValue: ObjectType { thunk() }
}

@propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
  private let read: () -> Value
  @preconcurrency
  public init(
    get: @escaping @isolated(any) @Sendable () -> Value,
    set: @escaping @isolated(any) @Sendable (Value) -> Void
  ) {
    read = { fatalError() }
  }
  public var wrappedValue: Value {
    get { read() }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { self }
  public subscript<Subject>(
    dynamicMember path: WritableKeyPath<Value, Subject>
  ) -> Binding<Subject> { Binding<Subject>(get: { fatalError() }, set: { _ in }) }
}

@propertyWrapper @dynamicMemberLookup
public struct Bindable<Value> {
  public var wrappedValue: Value
  public var projectedValue: Bindable<Value> { self }
  @available(*, unavailable, message: "The wrapped value must be an object that conforms to Observable")
  public init(wrappedValue: Value) { fatalError() }
}
extension Bindable where Value: ObservableObject {
  @available(*, unavailable, message: "For ObservableObject types, use @ObservedObject instead.")
  public init(wrappedValue: Value) { fatalError() }
}
extension Bindable where Value: AnyObject, Value: Observable {
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  public init(_ wrappedValue: Value) { self.wrappedValue = wrappedValue }
}
extension Bindable where Value: AnyObject {
  public subscript<Subject>(
    dynamicMember path: ReferenceWritableKeyPath<Value, Subject>
  ) -> Binding<Subject> { Binding<Subject>(get: { fatalError() }, set: { _ in }) }
}

public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}
public struct EnvironmentValues {
  public init() {}
  public subscript<Key: EnvironmentKey>(_ key: Key.Type) -> Key.Value {
    get { Key.defaultValue }
    set {}
  }
  public var scenePhase: ScenePhase {
    get { .active }
    set {}
  }
}
@propertyWrapper
public struct Environment<Value>: DynamicProperty {
  public init(_ path: KeyPath<EnvironmentValues, Value>) {}
  public var wrappedValue: Value { fatalError() }
}
extension Environment: Sendable where Value: Sendable {}

public struct Animation: Equatable, Sendable {
  public static let `default` = Animation()
}
public struct Transaction {
  public init() {}
  public init(animation: Animation?) {}
  public var animation: Animation? { nil }
}
@available(*, unavailable)
extension Transaction: Sendable {}
public func withTransaction<Result>(
  _ transaction: Transaction,
  _ body: () throws -> Result
) rethrows -> Result { try body() }
public func withAnimation<Result>(
  _ animation: Animation? = .default,
  _ body: () throws -> Result
) rethrows -> Result { try body() }

public enum ScenePhase: Comparable, Hashable, Sendable { case background, inactive, active }

extension View {
  public func modifier<Modifier: ViewModifier>(
    _ modifier: Modifier
  ) -> ModifiedContent<Self, Modifier> { ModifiedContent() }
  public func environment<Value>(
    _ path: WritableKeyPath<EnvironmentValues, Value>,
    _ value: Value
  ) -> some View { self }
  public func transformEnvironment<Value>(
    _ path: WritableKeyPath<EnvironmentValues, Value>,
    transform: @escaping (inout Value) -> Void
  ) -> some View { self }
  public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { self }
  public func task(
    priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
  ) -> some View { self }
  public func task<ID: Equatable>(
    id: ID,
    priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
  ) -> some View { self }
  public func onChange<Value: Equatable>(
    of value: Value,
    initial: Bool = false,
    _ action: @escaping (Value, Value) -> Void
  ) -> some View { self }
  public func onAppear(perform action: (() -> Void)? = nil) -> some View { self }
  public func onDisappear(perform action: (() -> Void)? = nil) -> some View { self }
}

// What only an app uses.

@MainActor @preconcurrency
public protocol App {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
  @MainActor @preconcurrency init()
}
extension App {
  @MainActor @preconcurrency public static func main() {}
}
@MainActor @preconcurrency
public protocol Scene {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}
extension Never: Scene {}
@resultBuilder
public struct SceneBuilder {
  public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}
public struct WindowGroup<Content: View>: Scene {
  public init(@ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError() }
}

public struct ProgressView: View {
  public init() {}
  public init<Value: BinaryFloatingPoint>(value: Value?, total: Value = 1) {}
  public var body: Never { fatalError() }
}
public struct List<SelectionValue: Hashable, Content: View>: View {
  public var body: Never { fatalError() }
}
extension List where SelectionValue == Never {
  public init(@ViewBuilder content: () -> Content) {}
}
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}
extension ForEach: View where Content: View { public var body: Never { fatalError() } }
extension ForEach where Content: View, Data.Element: Identifiable, ID == Data.Element.ID {
  public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}
extension ForEach where Content: View {
  public init(
    _ data: Data,
    id: KeyPath<Data.Element, ID>,
    @ViewBuilder content: @escaping (Data.Element) -> Content
  ) {}
}
public struct HStack<Content: View>: View {
  public init(@ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError() }
}
public struct Section<Parent, Content, Footer> {}
extension Section: View where Parent: View, Content: View, Footer: View {
  public var body: Never { fatalError() }
}
extension Section where Parent == Text, Content: View, Footer == EmptyView {
  public init(_ title: String, @ViewBuilder content: () -> Content) {}
}
@available(tvOS, unavailable)
public struct Slider<Label: View, ValueLabel: View>: View {
  public var body: Never { fatalError() }
}
@available(tvOS, unavailable)
extension Slider where ValueLabel == EmptyView {
  public init<Value: BinaryFloatingPoint>(
    value: Binding<Value>,
    in bounds: ClosedRange<Value> = 0...1,
    @ViewBuilder label: () -> Label
  ) {}
}
public struct Picker<Label: View, SelectionValue: Hashable, Content: View>: View {
  public var body: Never { fatalError() }
}
extension Picker where Label == Text {
  public init(
    _ title: String,
    selection: Binding<SelectionValue>,
    @ViewBuilder content: () -> Content
  ) {}
}
public struct Toggle<Label: View>: View {
  public var body: Never { fatalError() }
}
extension Toggle where Label == Text {
  public init(_ title: String, isOn: Binding<Bool>) {}
}
public struct Image: View {
  public init(systemName: String) {}
  public var body: Never { fatalError() }
}
public protocol ShapeStyle: Sendable {}
public struct Color: ShapeStyle {
  public static let blue = Color()
  public static let purple = Color()
  public static let red = Color()
  public static let orange = Color()
  public static let green = Color()
  public static let gray = Color()
}
public struct Font: Sendable { public static let caption = Font() }
public protocol PrimitiveButtonStyle {}
@available(tvOS 17, watchOS 8, *)
public struct BorderlessButtonStyle: PrimitiveButtonStyle {}
@available(tvOS 17, watchOS 8, *)
extension PrimitiveButtonStyle where Self == BorderlessButtonStyle {
  public static var borderless: Self { BorderlessButtonStyle() }
}
public struct Form<Content: View>: View {
  public init(@ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError() }
}
public struct TextField<Label: View>: View {
  public var body: Never { fatalError() }
}
extension TextField where Label == Text {
  public init(_ title: String, text: Binding<String>) {}
}
public struct NavigationStack<Data, Root: View>: View {
  public var body: Never { fatalError() }
}
extension NavigationStack {
  public init(path: Binding<Data>, @ViewBuilder root: () -> Root)
  where
    Data: MutableCollection & RandomAccessCollection & RangeReplaceableCollection,
    Data.Element: Hashable
  {}
}
public struct NavigationLink<Label: View, Destination: View>: View {
  public var body: Never { fatalError() }
}
extension NavigationLink where Destination == Never {
  public init<P: Hashable>(value: P?, @ViewBuilder label: () -> Label) {}
}

extension View {
  public func navigationDestination<D: Hashable, C: View>(
    for data: D.Type,
    @ViewBuilder destination: @escaping (D) -> C
  ) -> some View { self }
  public func navigationTitle(_ title: String) -> some View { self }
  public func searchable(text: Binding<String>, prompt: String? = nil) -> some View { self }
  public func sheet<Content: View>(
    isPresented: Binding<Bool>,
    onDismiss: (() -> Void)? = nil,
    @ViewBuilder content: @escaping () -> Content
  ) -> some View { self }
  public func disabled(_ disabled: Bool) -> some View { self }
  public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { self }
  public func font(_ font: Font?) -> some View { self }
  public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View { self }
  public func tag<V: Hashable>(_ tag: V) -> some View { self }
  public func accessibilityLabel(_ label: String) -> some View { self }
}
