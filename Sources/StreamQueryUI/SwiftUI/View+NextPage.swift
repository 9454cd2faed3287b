#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

extension View {
  /// Fetches the next pages of an infinite query while this view is shown, until there are no more pages, or
  /// until new pages push the view off the screen.
  ///
  /// ```swift
  /// struct EndlessFeed: View {
  ///   @LiveInfiniteQuery<FeedPage, Int> private var feed
  ///
  ///   var body: some View {
  ///     List {
  ///       ForEach(feed.pages.flatMap(\.items), id: \.self) { Text($0) }
  ///       if feed.hasNextPage { ProgressView().fetchesNextPage(of: feed) }
  ///     }
  ///     .infiniteQuery($feed, key: ["feed"], initialPageParam: 1) { page in
  ///       try await api.feed("all", page)
  ///     } nextPageParam: {
  ///       $0.lastPage.next
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// The view fetches no next page while all pages are being refetched, such as after a pull to refresh.
  /// After a failure, it waits until it appears again, or until other code fetches the page, such as a button
  /// with `feed.fetchNextPage()`. A page that is being fetched when the view disappears still arrives.
  ///
  /// - Parameter observed: The query.
  /// - Returns: The view.
  public func fetchesNextPage<Object: _QueryObjectMembers>(
    of observed: Object
  ) -> some View where Object.Stored: PageSequenceValue {
    modifier(NextPageModifier(observed: observed))
  }
}

struct NextPageModifier<Object: _QueryObjectMembers>: ViewModifier
where Object.Stored: PageSequenceValue {
  @StateObject private var loader: NextPageLoader<Object>
  private let observed: Object

  init(observed: Object) {
    _loader = StateObject(wrappedValue: NextPageLoader())
    self.observed = observed
  }

  func body(content: Content) -> some View {
    content
      .onAppear { loader.appeared(observed) }
      .onDisappear { loader.disappeared() }
      .onChange(of: observed.nextPageFacts) { _, _ in loader.changed(observed) }
      // The identity is also compared, because another object may have the same facts.
      .onChange(of: ObjectIdentifier(observed)) { _, _ in loader.changed(observed) }
  }
}

/// Fetches the next page while the view at the end of a list is shown: stores whether the view is shown, and
/// the list's query.
@MainActor
final class NextPageLoader<Object: _QueryObjectMembers>: nonisolated StillObject
where Object.Stored: PageSequenceValue {
  private var machine = NextPageMachine()
  /// The last query that the view was given; only its pages are fetched.
  private weak var observed: Object?

  nonisolated init() {}

  func appeared(_ observed: Object) {
    self.observed = observed
    perform(machine.appeared())
  }

  func disappeared() { machine.disappeared() }

  func changed(_ observed: Object) {
    self.observed = observed
    perform(machine.changed())
  }

  private func perform(_ step: NextPageMachine.Step) {
    switch step {
    case .nothing: break
    case .fetch: observed?.fetchNextPage()
    case .awaitEndOfTurn:
      // The task has no executor preference, because the main actor would ignore one.
      Task { perform(machine.turnEnded(observed?.nextPageFacts)) }
    }
  }
}
#endif
