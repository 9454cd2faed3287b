#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

/// Keeps a position in pages for a view, and observes the query of the shown page.
///
/// ```swift
/// @LivePagination(Pagination(input: "swift"), query: { .search($0, $1) }) var repositories
/// ```
///
/// The position lasts as long as the view, even if the view is drawn again.
@MainActor @propertyWrapper
public struct LivePagination<
  Input: Hashable & Sendable,
  Page: Hashable & Sendable,
  Value: Sendable
>: DynamicProperty {
  /// The type of the wrapped value: the position, and the query of its page.
  public typealias Observed = ObservedPagination<Input, Page, Value>

  @StateObject private var holder: LiveHolder<Observed>
  @SwiftUI.Environment(\.queryEnvironment) private var queryEnvironment
  private let query: (@Sendable (Input, Page) -> Query<Value>)?
  private let options: OptionsBox?
  private let animation: Animation?
  private let make: @MainActor () -> Observed

  /// Observes a page; with `nil`, the pages that the modifier `pagination(_:input:query:)` names.
  ///
  /// - Parameters:
  ///   - pagination: The first position.
  ///   - options: Options of the observer, which take precedence over those of the query.
  ///   - keepsPreviousData: Whether the former page stays on the screen until the data of the new page has
  ///     come.
  ///   - animation: The animation for arriving changes; with `nil`, the one that `queryAnimation(_:)` sets.
  ///   - query: Returns the query of a page; its key must contain input and page. With `nil`, nothing is
  ///     observed before the modifier `pagination(_:input:query:)` names the pages.
  public init(
    _ pagination: Pagination<Input, Page>,
    options: ObserverOptions? = nil,
    keepsPreviousData: Bool = true,
    animation: Animation? = nil,
    query: (@Sendable (Input, Page) -> Query<Value>)? = nil
  ) {
    _holder = StateObject(wrappedValue: LiveHolder())
    self.query = query
    self.options = options.map { OptionsBox($0) }
    self.animation = animation
    make = {
      ObservedPagination(
        pagination,
        options: options,
        keepsPreviousData: keepsPreviousData,
        query: query ?? { _, _ in .none }
      )
    }
  }

  /// Position and query as an observable object.
  public var wrappedValue: ObservedPagination<Input, Page, Value> { holder.object(make) }

  /// The handle that modifiers such as `attach(_:)` take; you write it as `$` and the property's name.
  public var projectedValue: LiveHandle<Observed> { LiveHandle(holder: holder) }

  /// Called by SwiftUI before the view's body.
  public nonisolated func update() {
    ViewUpdate.run {
      holder.installed(animation?.changeContext, options: options, make)
      if let query {
        holder.configure(by: .wrapper, in: queryEnvironment) {
          $0.configure(nil, query, $1, $2, $3)
        }
      } else {
        holder.namedNothing { $0.showNothing() }
      }
      holder.updated()
    }
  }
}
#endif
