import StreamQuery

extension Query<[User]> {
  static func people(
    named text: String,
    from api: any API
  ) -> Self {
    Query("people", text) { context in
      // The next letter is another key, and cancels this fetch.
      if context.cause == .subscribed {
        try await Scheduling.current.clock
          .sleep(for: .milliseconds(300))
      }
      return try await api.search(text)
    }
    .enabled(!text.isEmpty)
  }
}
