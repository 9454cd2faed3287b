// Documented by Apple.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Declarations around views, such as apps and scenes. They only compile: tests mount views directly.

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

/// Checks that the views of a preview compile; in Xcode, the macro shows them in the canvas.
@freestanding(expression)
public macro Preview<Content: View>(
  _ name: String? = nil,
  @ViewBuilder body: @escaping @MainActor () -> Content
) -> Int = #line
