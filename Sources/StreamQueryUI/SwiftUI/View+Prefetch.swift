#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

extension View {
  /// Fetches the queries of another view while this one is shown.
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
  /// The queries are fetched if they are missing or stale: when this view appears, and when it is drawn with
  /// other keys. Give them a stale time, or the next view fetches again. A disabled query is omitted until
  /// this view is drawn with an enabled one. The queries are not observed. A request outlives the
  /// disappearance by a second, so that the next view finds it running. A failure is dropped.
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
  @SwiftUI.Environment(\.queryEnvironment) private var queryEnvironment
  private let prefetching: Prefetching

  init(prefetching: Prefetching) { self.prefetching = prefetching }

  /// The content, with a task that prefetches.
  public func body(content: Content) -> some View {
    var prefetching = prefetching
    if queryEnvironment.observes {
      prefetching.client = queryEnvironment.client ?? FallbackClient.taken()
    }
    return content.task(id: prefetching) { [prefetching] in await prefetching.fetchAhead() }
  }
}
#endif
