import SwiftUI
import Testing

// Views of SwiftUI that also say what they show. They have SwiftUI's names, so that the views of a
// test are written as in an app, and tests read the screen in the same way on every system.

/// What is on the screen, and what a user can do there.
@MainActor
final class Display {
  /// A control or a text, for as long as it exists.
  @MainActor
  final class Item {
    var text = ""
    var isEnabled = true
    var action: (@MainActor () -> Void)?
    var enter: (@MainActor (String) -> Void)?
    nonisolated init() {}
  }

  nonisolated static let nowhere = Display()
  private var items: [ObjectIdentifier: Item] = [:]
  fileprivate var mounted: Mounted?

  nonisolated init() {}

  func show(_ item: Item) { items[ObjectIdentifier(item)] = item }
  func hide(_ item: Item) { items[ObjectIdentifier(item)] = nil }

  /// The texts, in the order of the alphabet: what lays out does nothing in the stand-in.
  var texts: [String] { items.values.filter(\.isText).map(\.text).sorted() }

  /// The buttons that can be tapped, in the order of the alphabet.
  var buttons: [String] {
    items.values.filter { $0.action != nil && $0.isEnabled }.map(\.text).sorted()
  }

  /// Taps a button.
  func tap(_ title: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let found = items.values.first { $0.text == title && $0.action != nil && $0.isEnabled }
    #expect(found != nil, "there is no such button", sourceLocation: sourceLocation)
    found?.action?()
  }

  /// Taps all buttons of a title.
  func tapAll(_ title: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let found = items.values.filter { $0.text == title && $0.action != nil && $0.isEnabled }
    #expect(!found.isEmpty, "there is no such button", sourceLocation: sourceLocation)
    for item in found { item.action?() }
  }

  /// Replaces the text of a field.
  func type(_ text: String, into title: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let found = items.values.first { $0.text == title && $0.enter != nil }
    #expect(found != nil, "there is no such field", sourceLocation: sourceLocation)
    found?.enter?(text)
  }

  func unmount() { mounted?.unmount() }
}

extension Display.Item {
  fileprivate var isText: Bool { action == nil && enter == nil }
}

extension World {
  /// Mounts a view whose texts and controls are read.
  func show(_ view: some View) -> Display {
    let display = Display()
    display.mounted = mount(view.environment(\.display, display))
    return display
  }
}

extension EnvironmentValues {
  fileprivate var display: Display {
    get { self[DisplayKey.self] }
    set { self[DisplayKey.self] = newValue }
  }
  private enum DisplayKey: EnvironmentKey { static var defaultValue: Display { .nowhere } }
}

private struct Displayed: ViewModifier {
  @Environment(\.display) private var display
  let item: Display.Item

  func body(content: Content) -> some View {
    content.onAppear { display.show(item) }.onDisappear { display.hide(item) }
  }
}

struct Text: View {
  @State private var item = Display.Item()
  let text: String

  init(_ text: String) { self.text = text }

  var body: some View {
    let _ = item.text = text
    SwiftUI.Text(verbatim: text).modifier(Displayed(item: item))
  }
}

struct ProgressView: View {
  let title: String

  init(_ title: String = "…") { self.title = title }

  var body: some View { Text(title) }
}

struct Button: View {
  @State private var item = Display.Item()
  @Environment(\.isEnabled) private var isEnabled
  let title: String
  let action: @MainActor () -> Void

  init(_ title: String, action: @escaping @MainActor () -> Void) {
    self.title = title
    self.action = action
  }

  var body: some View {
    let _ = (item.text, item.isEnabled, item.action) = (title, isEnabled, action)
    SwiftUI.Button(title, action: action).modifier(Displayed(item: item))
  }
}

struct TextField: View {
  @State private var item = Display.Item()
  let title: String
  @Binding var text: String

  init(_ title: String, text: Binding<String>) {
    self.title = title
    _text = text
  }

  var body: some View {
    let _ = (item.text, item.enter) = (title, { text = $0 })
    SwiftUI.TextField(title, text: $text).modifier(Displayed(item: item))
  }
}
