import SwiftUI

#if canImport(Darwin)
import AppKit

/// A view in a window that nobody sees.
///
/// Not run by the authors: Linux has no SwiftUI. What it draws, it draws when it is laid out, and its
/// updates are no jobs of the main actor; so a test lays it out after each step.
@MainActor
final class Mounted {
  struct Behaviour: Hashable, Sendable {
    static let all = [Behaviour()]
    static let further: [Behaviour] = []
    var isOfQuarter: Bool { true }
    var removalsTakeTime: Bool { true }
    var drawsHidden: Bool { false }
    var freesStateLate: Bool { true }
  }

  /// Whether a body is evaluated whose result is not seen: nobody knows.
  static var isDropping: Bool { false }

  private let window: NSWindow

  init(_ view: some View, _ behaviour: Behaviour) {
    // A window needs the application, which a test runner does not make.
    NSApplication.shared.setActivationPolicy(.accessory)
    window = NSWindow(contentViewController: NSHostingController(rootView: view))
    window.orderFrontRegardless()
    layOut()
  }

  /// Draws what has changed.
  ///
  /// - Returns: Whether that may have made jobs.
  @discardableResult
  func layOut() -> Bool {
    window.contentView?.layoutSubtreeIfNeeded()
    RunLoop.main.run(mode: .default, before: .distantPast)
    return true
  }

  func unmount() {
    window.contentViewController = nil
    window.close()
  }
}
#else

/// A view in the stand-in.
@MainActor
final class Mounted {
  typealias Behaviour = Host.Behaviour

  /// Whether a body is evaluated whose result is not seen.
  static var isDropping: Bool { Host.isDropping }

  private let host: Host

  init(_ view: some View, _ behaviour: Behaviour) { host = Host(view, behaviour: behaviour) }

  /// Ends the animations; the stand-in has drawn what has changed in jobs of the main actor.
  func layOut() -> Bool { host.endAnimations() }

  func unmount() { host.unmount() }
}
#endif
