/// Tells observers that there is news.
package final class NewsSource: Sendable {
  fileprivate let broadcaster = Broadcaster<NewsFlag<Never>>()

  package init() {}

  package func send() { broadcaster.send(()) }

  /// Ends all streams.
  ///
  /// - Parameter isDrained: Whether the streams still deliver the news that came before.
  package func finish(isDrained: Bool) { broadcaster.finish(isDrained: isDrained) }
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
