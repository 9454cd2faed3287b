#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

/// Runs a mutation for a view with the client of its environment, and shows the newest run.
///
/// ```swift
/// struct RenameButton: View {
///   @LiveMutation(.rename()) var rename
///
///   var body: some View {
///     Button("Rename") { rename.run(Rename(id: 42, name: "Ada")) }
///       .disabled(rename.isPending)
///   }
/// }
/// ```
///
/// A run continues when the view is gone.
@MainActor @propertyWrapper
public struct LiveMutation<Input: Sendable, Output: Sendable>: DynamicProperty {
  @StateObject private var holder: LiveHolder<ObservedMutation<Input, Output>>
  @SwiftUI.Environment(\.queryEnvironment) private var queryEnvironment
  private let mutation: Mutation<Input, Output>?
  private let animation: Animation?

  /// Runs a mutation; with `nil`, the mutation that the modifier `mutation(_:_:)` names.
  ///
  /// - Parameters:
  ///   - mutation: The mutation; with `nil`, nothing can be run before the modifier names one.
  ///   - animation: The animation for arriving changes; with `nil`, the one that `queryAnimation(_:)` sets.
  public init(_ mutation: Mutation<Input, Output>? = nil, animation: Animation? = nil) {
    _holder = StateObject(wrappedValue: LiveHolder())
    self.mutation = mutation
    self.animation = animation
  }

  /// Runs a mutation, made from its key and its work.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - perform: The work.
  public init(
    key: AnyQueryKey,
    perform: @escaping @Sendable @concurrent (Input) async throws -> Output
  ) {
    self.init(Mutation(key: key, perform: perform))
  }

  /// The mutation as an observable object.
  public var wrappedValue: ObservedMutation<Input, Output> {
    holder.object { ObservedMutation(mutation ?? .none) }
  }

  /// The handle that modifiers such as `attach(_:)` take; you write it as `$` and the property's name.
  public var projectedValue: LiveHandle<ObservedMutation<Input, Output>> {
    LiveHandle(holder: holder)
  }

  /// Called by SwiftUI before the view's body.
  public nonisolated func update() {
    ViewUpdate.run {
      holder.installed(animation?.changeContext) { ObservedMutation(mutation ?? .none) }
      if let mutation {
        holder.configure(by: .wrapper, in: queryEnvironment) { $0.configure(mutation, $2, $3) }
      } else {
        holder.namedNothing { $0.runNothing() }
      }
    }
  }
}
#endif
