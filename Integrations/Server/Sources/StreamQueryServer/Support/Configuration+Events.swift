import StreamQuery

extension QueryClient.Configuration {
  /// Adds a receiver of events to those that are there, which go on first.
  ///
  /// - Parameter receiver: Receives every event, on the terms of `onEvent`.
  mutating func addEventReceiver(_ receiver: @escaping @Sendable (QueryEvent) -> Void) {
    guard let former = onEvent else {
      onEvent = receiver
      return
    }
    onEvent = { event in
      former(event)
      receiver(event)
    }
  }
}
