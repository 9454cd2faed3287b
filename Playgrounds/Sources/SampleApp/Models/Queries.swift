import StreamQuery

// The queries and mutations of the app. Each has a key, the work, and its special options.

extension InfiniteQuery<FeedPage, Int> {
  static func feed(from api: any API) -> Self {
    Self("feed", initialPageParam: 0) { page, _ in
      try await api.feed(page: page)
    } nextPageParam: {
      $0.lastPage.next
    }
    .staleTime(.minutes(1))
    .retry(.transient)
  }
}

extension Query<[User]> {
  static func people(named text: String, from api: any API) -> Self {
    Query("people", text) { context in
      // Another text is another key, and cancels this fetch: the server is asked once the user
      // has stopped typing. A refresh need not wait.
      if context.cause == .subscribed {
        try await Scheduling.current.clock.sleep(for: .milliseconds(300))
      }
      return try await api.search(text)
    }
    .enabled(!text.isEmpty)
    .staleTime(.minutes(1))
    .retry(.transient)
  }
}

extension Query<User> {
  static func user(_ id: User.ID, from api: any API) -> Self {
    Query("users", id) { try await api.user(id) }
      .staleTime(.minutes(1))
      .retry(.transient)
      // Without a user there is nothing to show but the error.
      .throwOnError(.when { _, info in info.data == nil })
  }
}

/// A new name for a user.
struct Rename: Hashable, Sendable {
  var id: User.ID
  var name: String
}

extension Mutation<Rename, User> {
  /// Renames a user; the new name shows at once, wherever the user is shown.
  ///
  /// If the server refuses the new name, the former name shows again.
  static func rename(in api: any API) -> Self {
    Mutation("rename") { (input: Rename) in try await api.rename(input.id, to: input.name) }
      .optimistic { input, changes in
        changes.update(.user(input.id, from: api)) { $0?.name = input.name }
      }
      .onSuccess { user, context in
        context.client.setData(user, for: .user(user.id, from: api))
        await context.client.invalidate(.prefix("people"))
      }
      .scope("rename")
  }
}

extension RetryPolicy {
  /// Retries twice, but not after an error that the server would repeat.
  static var transient: Self {
    .while { failures, error in
      failures < 2 && !(400..<500).contains((error as? APIError)?.status ?? 0)
    }
  }
}
