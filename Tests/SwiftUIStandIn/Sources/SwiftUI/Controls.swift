// Documented by Apple.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Controls and containers, as far as samples use them. What only lays out is `Container`.

public struct TextField<Label: View>: View, Primitive, Opaque {
  let title: String
  @MainActor let text: Binding<String>
  func pieces(_ node: Node) -> [Piece] {
    // Read here, so that it is drawn again when the text changes.
    _ = text.wrappedValue
    return []
  }
}

extension TextField where Label == Text {
  public init(_ title: String, text: Binding<String>) {
    self.title = title
    self.text = text
  }
}

/// Appends its value to the path of the navigation stack around it.
public struct NavigationLink<Label: View>: View, Primitive, Opaque {
  let value: AnyHashable
  private let label: Label
  public init(value: some Hashable, @ViewBuilder label: () -> Label) {
    self.value = AnyHashable(value)
    self.label = label()
  }
  func pieces(_ node: Node) -> [Piece] { [Piece(key: 0, view: label)] }
}

/// A view with a title, or with a field to search in.
struct Headed<Content: View>: View, Primitive {
  let title: String
  let text: Binding<String>?
  let content: Content
  func pieces(_ node: Node) -> [Piece] {
    _ = text?.wrappedValue
    return [Piece(key: 0, view: content)]
  }
}

extension ProgressView {
  public init(_ title: String) { self.init() }
}

public typealias LazyVStack = Container
public typealias Section = Group

extension Container {
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

extension View {
  public func navigationTitle(_ title: String) -> some View {
    Headed(title: title, text: nil, content: self)
  }

  public func overlay(@ViewBuilder content: () -> some View) -> some View {
    let above = content()
    return ModifiedContent(
      content: self,
      modifier: Hook { _, view in
        [Piece(key: "below", view: view), Piece(key: "above", view: above, isApart: true)]
      }
    )
  }

  public func toolbar(@ViewBuilder content: () -> some View) -> some View {
    overlay(content: content)
  }

  public func searchable(text: Binding<String>) -> some View {
    searchable(text: text, prompt: "Search")
  }

  public func searchable(text: Binding<String>, prompt: String) -> some View {
    Headed(title: prompt, text: text, content: self)
  }

  /// What is disabled around a view stays disabled in it.
  public func disabled(_ disabled: Bool) -> some View {
    transformEnvironment(\.isEnabled) { $0 = $0 && !disabled }
  }
}

extension EnvironmentValues {
  public internal(set) var isEnabled: Bool {
    get { self[EnabledKey.self] }
    set { self[EnabledKey.self] = newValue }
  }
  private enum EnabledKey: EnvironmentKey { static var defaultValue: Bool { true } }
}
