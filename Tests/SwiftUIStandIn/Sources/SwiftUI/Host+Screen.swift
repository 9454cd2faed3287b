/// What a user sees and does. Only the stand-in has it.
extension Host {
  /// What is on the screen, in lines: `[a button]`, `(a disabled one)`, `a field: "its text"`, `…` for
  /// a spinner, `# a title`, and `---` above a sheet.
  public var screen: [String] { root?.lines ?? [] }

  /// Presses the topmost button or link of this label.
  ///
  /// - Parameter label: What is written on it; several texts are joined by commas.
  /// - Returns: Whether there is one that is not disabled.
  public func press(_ label: String) -> Bool {
    act { ($0.view as? any Pressable)?.press($0, label) ?? false }
  }

  /// Writes into the topmost field of this title.
  ///
  /// - Parameters:
  ///   - text: What it contains then.
  ///   - title: The title.
  /// - Returns: Whether there is one.
  public func type(_ text: String, into title: String) -> Bool {
    act {
      guard let field = $0.view as? any Field, field.title == title, let binding = field.binding
      else { return false }
      binding.wrappedValue = text
      return true
    }
  }

  /// Moves the topmost slider of this label, chooses in a picker of this title, or sets a switch.
  ///
  /// - Parameters:
  ///   - title: The title.
  ///   - value: The value then, of the control's type.
  /// - Returns: Whether there is one.
  public func set(_ title: String, to value: some Hashable) -> Bool {
    act { ($0.view as? any Adjustable)?.set($0, title, to: AnyHashable(value)) ?? false }
  }

  /// Goes back to the screen below.
  ///
  /// - Returns: Whether there is one.
  public func goBack() -> Bool { act { ($0.view as? any Stack)?.pop() ?? false } }

  /// Pulls the topmost list that can be refreshed.
  ///
  /// - Returns: A task that ends when the spinner of the gesture does; `nil` if there is no such list.
  public func pull() -> Task<Void, Never>? {
    var found: RefreshAction?
    root?.walk { if $0.isShown, let action = $0.environment.refresh { found = action } }
    return found.map { action in Task { await action() } }
  }

  /// Lets the last node that is shown and can do something do it.
  private func act(_ body: @MainActor (Node) -> Bool) -> Bool {
    var nodes: [Node] = []
    root?.walk { if $0.isShown { nodes.append($0) } }
    return nodes.reversed().contains(where: body)
  }
}

extension Node {
  /// What is to be seen of a view and those below it.
  var lines: [String] {
    guard isShown else { return [] }
    var below: [String] = []
    for key in keys {
      if key == AnyHashable("sheet") { below.append("---") }
      below += children[key]?.lines ?? []
    }
    // An optional view would be cast as what it wraps, which is below it.
    guard !(view is any Wrapping), let view = view as? any Visible else { return below }
    return view.lines(below, isEnabled: environment.isEnabled)
  }
}

/// A view that is there or not, and is not seen itself.
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
