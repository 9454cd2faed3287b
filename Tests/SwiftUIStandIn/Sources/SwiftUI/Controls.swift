// Documented by Apple.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Controls and containers, as far as samples use them. What only lays out is `Group`.

public struct TextField<Label: View>: View, Primitive {
  private let label: Label
  func pieces(_ node: Node) -> [Piece] { [Piece(key: 0, view: label)] }
}
extension TextField where Label == Text {
  public init(_ title: String, text: Binding<String>) { label = Text(title) }
}

extension ProgressView {
  public init(_ title: String) { self.init() }
}

public typealias LazyVStack = Group
public typealias Section = Group

extension Group {
  public init<Data: RandomAccessCollection, ID: Hashable, Row: View>(
    _ data: Data,
    id: KeyPath<Data.Element, ID>,
    @ViewBuilder rowContent: @escaping (Data.Element) -> Row
  ) where Content == ForEach<Data, ID, Row> {
    self.init { ForEach(data, id: id, content: rowContent) }
  }

  public init<Data: RandomAccessCollection, Row: View>(
    _ data: Data,
    @ViewBuilder rowContent: @escaping (Data.Element) -> Row
  ) where Data.Element: Identifiable, Content == ForEach<Data, Data.Element.ID, Row> {
    self.init(data, id: \.id, rowContent: rowContent)
  }
}

extension NavigationStack where Value == Int {
  /// Whose path no value of a program holds: nothing can be pushed here.
  public init(@ViewBuilder root: () -> Root) { self.init(path: .constant([]), root: root) }
}

extension EnvironmentValues {
  public var isEnabled: Bool {
    get { self[EnabledKey.self] }
    set { self[EnabledKey.self] = newValue }
  }
  private enum EnabledKey: EnvironmentKey { static var defaultValue: Bool { true } }
}

extension View {
  public func disabled(_ disabled: Bool) -> some View {
    transformEnvironment(\.isEnabled) { $0 = $0 && !disabled }
  }

  public func overlay(@ViewBuilder content: () -> some View) -> some View {
    Group {
      self
      content()
    }
  }

  public func toolbar(@ViewBuilder content: () -> some View) -> some View {
    overlay(content: content)
  }

  /// The field that it adds cannot be typed into.
  public func searchable(text: Binding<String>) -> some View { self }
}

public struct Animation: Hashable, Sendable {
  public static let `default` = Self()
}

extension View {
  public func animation(_ animation: Animation?, value: some Equatable) -> some View { self }
}
