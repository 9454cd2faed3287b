#if canImport(SwiftUI)
internal import StreamQuery
public import SwiftUI

/// Shows a value of the client in a view, such as the number of fetching queries; see
/// ``ObservedValue``.
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
/// The first value of a view stays its value.
@MainActor @propertyWrapper
public struct LiveValue<Value: Sendable>: DynamicProperty {
  @StateObject private var holder: LiveHolder<ObservedValue<Value>>
  @SwiftUI.Environment(\.queryEnvironment) private var queryEnvironment
  private let source: ClientValue<Value>
  private let animation: Animation?

  /// Follows a value.
  ///
  /// - Parameters:
  ///   - source: The value.
  ///   - animation: Animates changes that arrive; `nil` leaves that to `queryAnimation(_:)`.
  public init(_ source: ClientValue<Value>, animation: Animation? = nil) {
    _holder = StateObject(wrappedValue: LiveHolder())
    self.source = source
    self.animation = animation
  }

  /// The present value.
  public var wrappedValue: Value { holder.object { ObservedValue(source) }.value }

  /// For the modifier `attach(_:)`.
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
