/// The screen as text, and the actions of a user. SwiftUI has no such members.
extension Host {
  /// The content of the screen, in lines.
  ///
  /// A line is `[a button]`, `(a disabled one)`, `a field: "its text"`, `…` for a spinner, `# a title`, `---`
  /// above a sheet, or a text.
  public var screen: [String] { root?.lines ?? [] }

  /// Presses the topmost button or link of this label.
  ///
  /// - Parameter label: The text of the button; several texts are joined by commas.
  /// - Returns: Whether there is such a button or link, and it is not disabled.
  public func press(_ label: String) -> Bool {
    act { ($0.view as? any Pressable)?.press($0, label) ?? false }
  }

  /// Writes into the topmost field of this title.
  ///
  /// - Parameters:
  ///   - text: The new text of the field.
  ///   - title: The title.
  /// - Returns: Whether there is such a field.
  public func type(_ text: String, into title: String) -> Bool {
    act {
      guard let field = $0.view as? any Field, field.title == title, let binding = field.binding
      else { return false }
      binding.wrappedValue = text
      return true
    }
  }

  /// Sets the topmost slider, picker or switch of this title.
  ///
  /// - Parameters:
  ///   - title: The title; for a slider, its label.
  ///   - value: The new value.
  /// - Returns: Whether there is a control of this title with a value of this type.
  public func set(_ title: String, to value: some Hashable) -> Bool {
    act { ($0.view as? any Adjustable)?.set($0, title, to: AnyHashable(value)) ?? false }
  }

  /// Goes back to the screen below.
  ///
  /// - Returns: Whether there is a screen below.
  public func goBack() -> Bool { act { ($0.view as? any Stack)?.pop() ?? false } }

  /// Pulls the topmost list that can be refreshed.
  ///
  /// - Returns: A task that ends when the spinner of the gesture does; `nil` if there is no such list.
  public func pull() -> Task<Void, Never>? {
    var found: RefreshAction?
    root?.walk { if $0.isShown, let action = $0.environment.refresh { found = action } }
    return found.map { action in Task { await action() } }
  }

  /// Calls a closure with the shown nodes, the topmost first, until it returns `true`.
  private func act(_ body: @MainActor (Node) -> Bool) -> Bool {
    var nodes: [Node] = []
    root?.walk { if $0.isShown { nodes.append($0) } }
    return nodes.reversed().contains(where: body)
  }
}

extension Node {
  /// The lines on the screen that show this view and the views below it.
  var lines: [String] {
    guard isShown else { return [] }
    var below: [String] = []
    for key in keys {
      if key == AnyHashable("sheet") { below.append("---") }
      below += children[key]?.lines ?? []
    }
    // The cast would unwrap an optional view. The wrapped view is a node below this one, with lines of its
    // own.
    guard !(view is any Wrapping), let view = view as? any Visible else { return below }
    return view.lines(below, isEnabled: environment.isEnabled)
  }
}

/// An optional view, which has no line of its own.
private protocol Wrapping {}
extension Optional: Wrapping where Wrapped: View {}

@MainActor
private protocol Visible {
  func lines(_ below: [String], isEnabled: Bool) -> [String]
}

extension Text: Visible {
  func lines(_ below: [String], isEnabled: Bool) -> [String] { [text] }
}

extension ProgressView: Visible {
  func lines(_ below: [String], isEnabled: Bool) -> [String] {
    [percentage.map { "\($0) %" } ?? "…"]
  }
}

@MainActor
private protocol Pressable: Visible {
  func perform(_ node: Node)
}

extension Pressable {
  func lines(_ below: [String], isEnabled: Bool) -> [String] {
    let label = below.joined(separator: ", ")
    return [isEnabled ? "[\(label)]" : "(\(label))"]
  }

  func press(_ node: Node, _ label: String) -> Bool {
    guard node.lines == ["[\(label)]"] else { return false }
    perform(node)
    return true
  }
}

extension Button: Pressable {
  func perform(_ node: Node) { action() }
}

@MainActor
private protocol Adjustable: Visible {
  associatedtype Setting: Hashable
  func title(_ node: Node) -> String
  var setting: Binding<Setting> { get }
}

extension Adjustable {
  func set(_ node: Node, _ title: String, to value: AnyHashable) -> Bool {
    guard self.title(node) == title, let value = value.base as? Setting else { return false }
    setting.wrappedValue = value
    return true
  }
}

extension Slider: Adjustable {
  var setting: Binding<Double> { value }
  func title(_ node: Node) -> String { node.children.values.flatMap(\.lines).joined() }
  func lines(_ below: [String], isEnabled: Bool) -> [String] {
    ["\(below.joined()): \(Int(value.wrappedValue * 100)) %"]
  }
}

extension Picker: Adjustable {
  var setting: Binding<Choice> { selection }
  func title(_ node: Node) -> String { title }
  func lines(_ below: [String], isEnabled: Bool) -> [String] {
    ["\(title): \(selection.wrappedValue)"]
  }
}

extension Toggle: Adjustable {
  var setting: Binding<Bool> { isOn }
  func title(_ node: Node) -> String { title }
  func lines(_ below: [String], isEnabled: Bool) -> [String] { ["\(title): \(isOn.wrappedValue)"] }
}

extension Image: Visible {
  func lines(_ below: [String], isEnabled: Bool) -> [String] { ["<\(name)>"] }
}

extension Section: Visible {
  func lines(_ below: [String], isEnabled: Bool) -> [String] {
    (title.map { ["## \($0)"] } ?? []) + below
  }
}

extension NavigationLink: Pressable {
  func perform(_ node: Node) { (node.stack?.view as? any Stack)?.push(value) }
}

@MainActor
private protocol Stack {
  func push(_ value: AnyHashable)
  func pop() -> Bool
}

extension NavigationStack: Stack {
  func push(_ value: AnyHashable) {
    if let value = value.base as? Value { path.wrappedValue.append(value) }
  }

  func pop() -> Bool { path.wrappedValue.popLast() != nil }
}

@MainActor
private protocol Field: Visible {
  var title: String { get }
  var binding: Binding<String>? { get }
}

extension TextField: Field {
  var binding: Binding<String>? { text }
  func lines(_ below: [String], isEnabled: Bool) -> [String] {
    ["\(title): \"\(text.wrappedValue)\""]
  }
}

extension Headed: Field {
  var binding: Binding<String>? { text }
  func lines(_ below: [String], isEnabled: Bool) -> [String] {
    [text.map { "\(title): \"\($0.wrappedValue)\"" } ?? "# \(title)"] + below
  }
}
