#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

extension View {
  /// Fetches what another view will show, while this one is shown.
  ///
  /// ```swift
  /// struct PersonLink: View {
  ///   let id: User.ID
  ///
  ///   var body: some View {
  ///     NavigationLink(value: id) { Text("Profile") }
  ///       .prefetch(.user(id), .repos(id))
  ///   }
  /// }
  /// ```
  ///
  /// Each appearance, and another key, fetches what is missing or stale: give the queries a stale time, or the
  /// next view fetches again. A query that is disabled is left out until this view is drawn with an enabled
  /// one. Nothing is observed. A request outlives the disappearance by a second, so that the next view finds
  /// it running; a failure is dropped.
  ///
  /// - Parameter query: The queries.
  /// - Returns: The view.
  public func prefetch<each Value: Sendable>(
    _ query: repeat Query<each Value>
  ) -> some View {
    modifier(PrefetchModifier(prefetching: Prefetching(repeat each query)))
  }
}

struct PrefetchModifier: ViewModifier {
  @SwiftUI.Environment(\.surroundings) private var surroundings
  private let prefetching: Prefetching

  init(prefetching: Prefetching) { self.prefetching = prefetching }

  /// The content, with a task that fetches ahead.
  public func body(content: Content) -> some View {
    var prefetching = prefetching
    if surroundings.isAllowed {
      prefetching.client = surroundings.client ?? FallbackClient.taken()
    }
    return content.task(id: prefetching) { [prefetching] in await prefetching.fetchAhead() }
  }
}
#endif
