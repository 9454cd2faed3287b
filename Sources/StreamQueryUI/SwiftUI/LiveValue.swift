#if canImport(SwiftUI)
internal import StreamQuery
public import SwiftUI

/// Shows a value of the client in a view, such as the number of fetching queries; see ``ObservedValue``.
///
/// ```swift
/// struct ActivityView: View {
///   @LiveValue(.fetchingCount()) private var fetching
///   @LiveValue(.mutatingCount(.key("save"))) private var saving
///
///   var body: some View {
///     if fetching > 0 { ProgressView() }
///     if saving > 0 { Text("Saving…") }
///   }
/// }
/// ```
///
/// A view keeps its first source: another one at a later update is ignored.
@MainActor @propertyWrapper
public struct LiveValue<Value: Sendable>: DynamicProperty {
  @StateObject private var holder: LiveHolder<ObservedValue<Value>>
  @SwiftUI.Environment(\.queryEnvironment) private var queryEnvironment
  private let source: ClientValue<Value>
  private let animation: Animation?

  /// Shows a value of the client, and follows its changes.
  ///
  /// - Parameters:
  ///   - source: The description of the value.
  ///   - animation: The animation for arriving changes; with `nil`, the one that `queryAnimation(_:)` sets.
  public init(_ source: ClientValue<Value>, animation: Animation? = nil) {
    _holder = StateObject(wrappedValue: LiveHolder())
    self.source = source
    self.animation = animation
  }

  /// The present value.
  public var wrappedValue: Value { holder.object { ObservedValue(source) }.value }

  /// The handle that the modifier `attach(_:)` takes; you write it as `$` and the property's name.
  public var projectedValue: LiveHandle<ObservedValue<Value>> { LiveHandle(holder: holder) }

  /// Called by SwiftUI before the view's body.
  public nonisolated func update() {
    ViewUpdate.run {
      holder.installed(animation?.changeContext) { ObservedValue(source) }
      holder.configure(by: .wrapper, in: queryEnvironment) { $0.drawn(using: $2, $3) }
      holder.updated()
    }
  }
}
#endif
