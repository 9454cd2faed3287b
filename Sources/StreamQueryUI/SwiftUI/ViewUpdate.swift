#if canImport(SwiftUI)
#if canImport(Darwin)
internal import Darwin
#else
@preconcurrency internal import Dispatch
#endif

/// Runs code that SwiftUI calls before a view's body.
///
/// In Apple's interface, `DynamicProperty.update()` has no isolation. By the documentation, SwiftUI calls it
/// before it renders a view's body, which is isolated to the main actor. OpenSwiftUI, which rebuilds Apple's
/// SwiftUI, updates the properties of a view and its body in one rule, on the main thread unless a property
/// does not need that. An app can call the method on any thread.
///
/// - [Apple](https://developer.apple.com/documentation/swiftui/dynamicproperty/update())
/// - [OpenSwiftUI](https://github.com/OpenSwiftUIProject/OpenSwiftUI/blob/main/Sources/OpenSwiftUICore/Data/DynamicProperty/DynamicProperty.swift)
enum ViewUpdate {
  #if canImport(Darwin)
  private static var isOnMainThread: Bool { pthread_main_np() != 0 }
  #else
  // On other systems, only tests have views. There the main queue may run on another thread than the first
  // one, so the check is about the queue and not about the thread.
  private static var isOnMainThread: Bool { DispatchQueue.getSpecific(key: mainQueue) != nil }

  private static let mainQueue: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()
  #endif

  /// Runs an update on the main actor; a call on another thread is reported, and runs nothing.
  nonisolated static func run(_ update: @MainActor () -> Void) {
    guard isOnMainThread else { return ViewMisuse.updatedOffTheMainThread.report() }
    // Code on the main thread is isolated to the main actor.
    MainActor.assumeIsolated { update() }
  }
}
#endif
