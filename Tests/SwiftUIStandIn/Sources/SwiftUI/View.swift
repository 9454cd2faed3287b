// Documented by Apple.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@MainActor @preconcurrency
public protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}
extension View where Body == Never {
  public var body: Never { fatalError("A primitive view has no body.") }
}
extension Never: View { public var body: Never { fatalError("There is no such view.") } }

@resultBuilder
public enum ViewBuilder {
  public static func buildExpression<V: View>(_ view: V) -> V { view }
  public static func buildBlock() -> EmptyView { EmptyView() }
  public static func buildBlock<V: View>(_ view: V) -> V { view }
  public static func buildBlock<each V: View>(_ view: repeat each V) -> TupleView<(repeat each V)> {
    var views: [any View] = []
    for view in repeat each view { views.append(view) }
    return TupleView(views: views)
  }
  public static func buildEither<A: View, B: View>(first: A) -> ConditionalContent<A, B> {
    .first(first)
  }
  public static func buildEither<A: View, B: View>(second: B) -> ConditionalContent<A, B> {
    .second(second)
  }
  public static func buildIf<V: View>(_ view: V?) -> V? { view }
}

public struct EmptyView: View, Primitive {
  public nonisolated init() {}
  func pieces(_ node: Node) -> [Piece] { [] }
}

public struct Text: View, Primitive, Opaque {
  let text: String
  public init(_ text: String) { self.text = text }
  @_disfavoredOverload public init<S: StringProtocol>(_ text: S) { self.text = String(text) }
  public init(verbatim text: String) { self.text = text }
  func pieces(_ node: Node) -> [Piece] { [] }
}

public struct ProgressView: View, Primitive, Opaque {
  let percentage: Int?
  public nonisolated init() { self.init(percentage: nil) }
  nonisolated init(percentage: Int?) { self.percentage = percentage }
  func pieces(_ node: Node) -> [Piece] { [] }
}

public struct Button<Label: View>: View, Primitive, Opaque {
  let action: @MainActor () -> Void
  private let label: Label
  public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
    self.action = action
    self.label = label()
  }
  func pieces(_ node: Node) -> [Piece] { [Piece(key: 0, view: label)] }
}
extension Button where Label == Text {
  public init(_ title: String, action: @escaping @MainActor () -> Void) {
    self.init(action: action) { Text(title) }
  }
}

public struct Group<Content: View>: View, Primitive {
  private let content: Content
  public init(@ViewBuilder content: () -> Content) { self.content = content() }
  func pieces(_ node: Node) -> [Piece] { [Piece(key: 0, view: content)] }
}

/// A view that lays out other views; here it only has an appearance of its own, even if it is empty.
public struct Container<Content: View>: View, Primitive, Opaque {
  private let content: Content
  public init(@ViewBuilder content: () -> Content) { self.content = content() }
  func pieces(_ node: Node) -> [Piece] { [Piece(key: 0, view: content)] }
}
public typealias VStack = Container
public typealias HStack = Container
public typealias List = Container
public typealias Form = Container
public typealias ScrollView = Container

public struct AnyView: View, Primitive {
  private let view: any View
  public init(_ view: any View) { self.view = view }
  func pieces(_ node: Node) -> [Piece] { [Piece(key: 0, view: view)] }
}

public struct TupleView<T>: View, Primitive {
  // Views are values of the main actor.
  nonisolated(unsafe) private let views: [any View]
  nonisolated init(views: [any View]) { self.views = views }
  func pieces(_ node: Node) -> [Piece] {
    views.enumerated().map { Piece(key: $0.offset, view: $0.element) }
  }
}

public enum ConditionalContent<A: View, B: View>: View, Primitive {
  case first(A)
  case second(B)
  func pieces(_ node: Node) -> [Piece] {
    switch self {
    case .first(let view): [Piece(key: true, view: view)]
    case .second(let view): [Piece(key: false, view: view)]
    }
  }
}

extension Optional: View, Primitive where Wrapped: View {
  public typealias Body = Never
  func pieces(_ node: Node) -> [Piece] { map { [Piece(key: 0, view: $0)] } ?? [] }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View, Primitive {
  private let data: Data
  private let id: KeyPath<Data.Element, ID>
  private let content: (Data.Element) -> Content
  public init(
    _ data: Data,
    id: KeyPath<Data.Element, ID>,
    @ViewBuilder content: @escaping (Data.Element) -> Content
  ) {
    self.data = data
    self.id = id
    self.content = content
  }
  func pieces(_ node: Node) -> [Piece] {
    data.map { Piece(key: $0[keyPath: id], view: content($0)) }
  }
}
extension ForEach where Data.Element: Identifiable, ID == Data.Element.ID {
  public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
    self.init(data, id: \.id, content: content)
  }
}

struct Identified<Content: View>: View, Primitive {
  let content: Content
  let id: AnyHashable
  func pieces(_ node: Node) -> [Piece] { [Piece(key: id, view: content)] }
}
