/// Wakes the streams that were made with it, each of which then reads its value.
package final class NewsSource: Sendable {
  fileprivate let broadcaster = Broadcaster<NewsFlag<Never>>()

  package init() {}

  package func send() { broadcaster.send(()) }

  /// Ends all streams; each reads its value once more before it ends.
  package func finish() { broadcaster.finish(sending: (), isDrained: true) }
}

nonisolated extension QueryClient {
  /// Returns a stream that reads a value after each piece of news.
  ///
  /// - Parameters:
  ///   - news: The source of the news.
  ///   - subject: The cause of the wait, in words.
  ///   - element: Reads the value; `nil` if there is nothing new to show.
  /// - Returns: A stream for one observer.
  package func stream<Element: Sendable>(
    of news: NewsSource,
    _ subject: String,
    _ element: @escaping @Sendable () -> Element?
  ) -> AsyncStream<Element> {
    stream(of: news.broadcaster.subscribe(), subject) { _ in element() }
  }
}
