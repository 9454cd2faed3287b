#if canImport(SwiftUI)
public import StreamQuery
public import SwiftUI

extension View {
  /// Fetches the next page of an infinite query while this view is shown: page after page, until there is
  /// none, or the pages push the view off the screen.
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
  /// A fetch of all pages, such as after a pull to refresh, ends first. After a failure nothing is
  /// fetched until the view appears again, or other code fetches the page, such as a button with
  /// `feed.fetchNextPage()`. A page that is being fetched when the view disappears arrives all the
  /// same.
  ///
  /// - Parameter observed: The query.
  /// - Returns: The view.
  public func fetchesNextPage<Stored: PageSequenceValue, Selected>(
    of observed: ObservedSelection<Stored, Selected>
  ) -> some View {
    modifier(NextPageModifier(observed: observed))
  }
}

struct NextPageModifier<Stored: PageSequenceValue, Selected: Sendable>: ViewModifier {
  @StateObject private var loader: NextPageLoader
  private let observed: ObservedSelection<Stored, Selected>

  init(observed: ObservedSelection<Stored, Selected>) {
    _loader = StateObject(wrappedValue: NextPageLoader())
    self.observed = observed
  }

  func body(content: Content) -> some View {
    content
      .onAppear { loader.appeared(observed) }
      .onDisappear { loader.disappeared() }
      .onChange(of: observed.nextPageFacts) { _, _ in loader.changed(observed) }
  }
}

/// Whether the view at the end of a list is shown.
@MainActor
final class NextPageLoader: nonisolated StillObject {
  private var machine = NextPageMachine()

  nonisolated init() {}

  func appeared<Stored: PageSequenceValue, Selected>(
    _ observed: ObservedSelection<Stored, Selected>
  ) {
    perform(machine.appeared(observed.nextPageFacts), observed)
  }

  func disappeared() { machine.disappeared() }

  func changed<Stored: PageSequenceValue, Selected>(
    _ observed: ObservedSelection<Stored, Selected>
  ) {
    perform(machine.changed(), observed)
  }

  private func perform<Stored: PageSequenceValue, Selected>(
    _ step: NextPageMachine.Step,
    _ observed: ObservedSelection<Stored, Selected>
  ) {
    switch step {
    case .nothing: break
    case .fetch: observed.fetchNextPage()
    case .awaitEndOfTurn:
      // No executor preference: it runs on the main actor.
      Task { [weak observed] in
        guard let observed else { return }
        perform(machine.turnEnded(observed.nextPageFacts), observed)
      }
    }
  }
}
#endif
