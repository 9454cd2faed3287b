// Documented by Apple.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public struct TextField: View, Primitive {
  let title: String
  @MainActor let text: Binding<String>
  public init(_ title: String, text: Binding<String>) {
    self.title = title
    self.text = text
  }
  func pieces(_ node: Node) -> [Piece] {
    // Read here, so that it is drawn again when the text changes.
    _ = text.wrappedValue
    return []
  }
}

/// Appends its value to the path of the navigation stack around it.
public struct NavigationLink<Label: View>: View, Primitive {
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

extension View {
  public func navigationTitle(_ title: String) -> some View {
    Headed(title: title, text: nil, content: self)
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
