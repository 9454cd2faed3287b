#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

/// Observes a list of queries of any value types for a view.
///
/// ```swift
/// @LiveQueries([AnyQuery(.user(1)), AnyQuery(.repos(1))]) var batch
/// ```
@MainActor @propertyWrapper
public struct LiveQueries: DynamicProperty {
  @StateObject private var holder: LiveHolder<ObservedQueries>
  @SwiftUI.Environment(\.queryEnvironment) private var queryEnvironment
  private let queries: [AnyQuery]?
  private let animation: Animation?

  /// Observes a list of queries; with `nil`, the list that the modifier `queries(_:_:)` names.
  ///
  /// - Parameters:
  ///   - queries: The queries; with `nil`, nothing is observed before the modifier names a list.
  ///   - animation: The animation for arriving changes; with `nil`, the one that `queryAnimation(_:)` sets.
  public init(_ queries: [AnyQuery]? = nil, animation: Animation? = nil) {
    _holder = StateObject(wrappedValue: LiveHolder())
    self.queries = queries
    self.animation = animation
  }

  /// The list as an observable object.
  public var wrappedValue: ObservedQueries { holder.object { ObservedQueries() } }

  /// The handle that modifiers such as `attach(_:)` take; you write it as `$` and the property's name.
  public var projectedValue: LiveHandle<ObservedQueries> { LiveHandle(holder: holder) }

  /// Called by SwiftUI before the view's body.
  public nonisolated func update() {
    ViewUpdate.run {
      holder.installed(animation?.changeContext) { ObservedQueries() }
      if let queries {
        holder.configure(by: .wrapper, in: queryEnvironment) { $0.configure(queries, $2, $3) }
      } else {
        holder.namedNothing { $0.showNothing() }
      }
      holder.updated()
    }
  }
}
#endif
