#if canImport(AppKit)
import AppKit
#else
// The part of AppKit that samples use. Nothing of it runs.
@MainActor class NSViewController {
  var view = NSView()
  var title: String?
  init() {}
  func loadView() {}
  func viewDidLoad() {}
  func viewWillLayout() {}
}

@MainActor class NSView {
  var isHidden = false
  init() {}
  func addSubview(_ view: NSView) {}
}

@MainActor class NSTextField: NSView {
  var stringValue = ""
  var textColor: NSColor?
  init(labelWithString text: String) { stringValue = text }
}

@MainActor class NSProgressIndicator: NSView {
  enum Style { case bar, spinning }
  var style = Style.bar
  var isIndeterminate = true
}

final class NSColor: Sendable {
  static let systemRed = NSColor()
  static let labelColor = NSColor()
}
#endif
