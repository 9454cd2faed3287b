#if canImport(SwiftUI)
#if canImport(Darwin)
internal import Darwin
#else
@preconcurrency internal import Dispatch
#endif

/// Runs what SwiftUI calls before a body.
///
/// Apple's interface isolates `DynamicProperty.update()` to nothing. The page says that SwiftUI calls it
/// before rendering a view's body, which is isolated to the main actor; OpenSwiftUI, which rebuilds the
/// system's, updates the properties of a view and its body in one rule, on the main thread unless a
/// property says that it needs none. An app can call it anywhere.
///
/// - [Apple](https://developer.apple.com/documentation/swiftui/dynamicproperty/update())
/// - [OpenSwiftUI](https://github.com/OpenSwiftUIProject/OpenSwiftUI/blob/main/Sources/OpenSwiftUICore/Data/DynamicProperty/DynamicProperty.swift)
enum ViewUpdate {
  #if canImport(Darwin)
  private static var isOnMainThread: Bool { pthread_main_np() != 0 }
  #else
  // Elsewhere, where only tests have views, the main queue may leave the thread that began.
  private static var isOnMainThread: Bool { DispatchQueue.getSpecific(key: mainQueue) != nil }

  private static let mainQueue: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()
  #endif

  /// Runs an update on the main actor; elsewhere it is left out, and that is reported.
  nonisolated static func run(_ update: @MainActor () -> Void) {
    guard isOnMainThread else { return ViewMisuse.updatedOffTheMainThread.report() }
    // What runs on the main thread is isolated to the main actor.
    MainActor.assumeIsolated { update() }
  }
}
#endif
