// Documented by Apple.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// What stands around views. Nothing of it runs: tests mount views.

@MainActor @preconcurrency
public protocol App {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
  @MainActor @preconcurrency init()
}
extension App {
  @MainActor @preconcurrency
  public static func main() { fatalError("The stand-in runs no apps.") }
}

@MainActor @preconcurrency
public protocol Scene {}

@resultBuilder
public enum SceneBuilder {
  public static func buildBlock<S: Scene>(_ scene: S) -> S { scene }
}

public struct WindowGroup<Content: View>: Scene {
  private let content: Content
  public init(@ViewBuilder content: () -> Content) { self.content = content() }
}

/// In Xcode it declares what the canvas shows; here the compiler only checks the views.
@freestanding(expression)
public macro Preview<Content: View>(
  _ name: String? = nil,
  @ViewBuilder body: @escaping @MainActor () -> Content
) -> Int = #line
