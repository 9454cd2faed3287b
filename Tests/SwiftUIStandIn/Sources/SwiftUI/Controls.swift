// Documented by Apple.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The controls and containers that samples use. A view that only lays out its content is a `Container`.

public struct TextField<Label: View>: View, Primitive, Opaque {
  let title: String
  @MainActor let text: Binding<String>
  func pieces(_ node: Node) -> [Piece] {
    // The text is read here, so that the field is drawn again when the text changes.
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
  public init(value: Double) { self.init(percentage: Int(value * 100)) }
}

public typealias LazyVStack = Container

public struct Section<Content: View>: View, Primitive {
  let title: String?
  private let content: Content
  public init(@ViewBuilder content: () -> Content) { (title, self.content) = (nil, content()) }
  public init(_ title: String, @ViewBuilder content: () -> Content) {
    (self.title, self.content) = (title, content())
  }
  func pieces(_ node: Node) -> [Piece] { [Piece(key: 0, view: content)] }
}

/// A control whose value a user changes.
public struct Slider<Label: View>: View, Primitive, Opaque {
  @MainActor let value: Binding<Double>
  private let label: Label
  public init(
    value: Binding<Double>,
    in bounds: ClosedRange<Double> = 0...1,
    @ViewBuilder label: () -> Label
  ) {
    (self.value, self.label) = (value, label())
  }
  func pieces(_ node: Node) -> [Piece] {
    _ = value.wrappedValue
    return [Piece(key: 0, view: label)]
  }
}

public struct Picker<Choice: Hashable, Content: View>: View, Primitive, Opaque {
  let title: String
  @MainActor let selection: Binding<Choice>
  public init(_ title: String, selection: Binding<Choice>, @ViewBuilder content: () -> Content) {
    (self.title, self.selection) = (title, selection)
  }
  func pieces(_ node: Node) -> [Piece] {
    _ = selection.wrappedValue
    return []
  }
}

public struct Toggle: View, Primitive, Opaque {
  let title: String
  @MainActor let isOn: Binding<Bool>
  public init(_ title: String, isOn: Binding<Bool>) { (self.title, self.isOn) = (title, isOn) }
  func pieces(_ node: Node) -> [Piece] {
    _ = isOn.wrappedValue
    return []
  }
}

public struct Image: View, Primitive, Opaque {
  let name: String
  public init(systemName: String) { name = systemName }
  func pieces(_ node: Node) -> [Piece] { [] }
}

public struct Color: Sendable {
  public static let blue = Color(), purple = Color(), red = Color()
  public static let orange = Color(), green = Color(), gray = Color()
}

public struct Font: Sendable { public static let caption = Font() }

public struct HorizontalAlignment: Sendable { public static let leading = HorizontalAlignment() }

public struct BorderlessButtonStyle: Sendable {
  public static let borderless = BorderlessButtonStyle()
}

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

extension Container {
  public init(alignment: HorizontalAlignment, @ViewBuilder content: () -> Content) {
    self.init(content: content)
  }
}

extension NavigationStack where Value == Int {
  /// Creates a stack with a constant path, onto which no screen can be pushed.
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

  // Modifiers that change nothing on `Host.screen`, so here they do nothing.
  public func foregroundStyle(_ color: Color) -> some View { self }
  public func font(_ font: Font) -> some View { self }
  public func buttonStyle(_ style: BorderlessButtonStyle) -> some View { self }
  public func tag(_ value: some Hashable) -> some View { self }
  // A modifier for assistive technology, which has no effect here.
  public func accessibilityLabel(_ label: String) -> some View { self }

  /// Disables the controls in this view; `false` enables no control that a view around this one disables.
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
