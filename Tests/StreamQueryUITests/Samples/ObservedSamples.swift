import Observation
@_spi(Adapters) import StreamQuery
import StreamQueryTesting
import StreamQueryUI
import Testing

/// Queries as observable objects, as models and views use them.
@MainActor struct ObservedSamples {
  @Test func aModelHoldsItsQueries() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let user = ObservedQuery(.user(42), client: client)
      var changes = 0
      user.changeContext = { change in
        changes += 1
        change()
      }
      let name = ObservedSelection(.user(42), client: client) { $0.name }
      expect(user.isLoading && name.data == nil)
      simulation.settle()
      let (shown, refreshing): (User?, Bool) = (user.data, user.isFetching)
      #expect(shown?.id == 42 && !refreshing && name.data == "Ada" && changes > 0)
      switch user.phase {
      case .success(let user): expectEqual(user.name, "Ada")
      case .pending, .failure: Issue.record("there is no data")
      }
    }
  }

  @Test func aViewStartsAndStops() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let user: ObservedQuery<User> = ObservedQuery(
        .user(1),
        options: ObserverOptions(staleTime: .minutes(1))
      )
      expect(user.isPending && !user.isFetching && !user.isObserving)
      user.start(using: client)
      user.update(query: .user(2))
      user.follow(.user(3), using: client)
      simulation.settle()
      expectEqual(user.data?.id, 3)
      user.stop()
      expectEqual(user.data?.id, 3)
    }
  }

  @Test func commandsAreAwaited() throws {
    try Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let user = ObservedQuery(.user(42), client: client)
      let result: QueryResult<User> = await user.refetch()
      expectEqual(result.data?.id, 42)
      try await user.refetch(throwOnError: true)
      try await user.refetch(throwOnError: false)
      await user.invalidate()
      await user.reset()
      expect(user.isSuccess && user.cause == .reset)
    }
  }

  @Test func pagesAreAdded() throws {
    try Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let letters = InfiniteQuery<String, Int>("letters", initialPageParam: 0) { page, _ in
        "page \(page)"
      } nextPageParam: {
        $0.pages.count < 2 ? $0.pages.count : nil
      }
      let observed: ObservedInfiniteQuery<String, Int> = ObservedQuery(letters, client: client)
      let count = ObservedSelection(letters, client: client) { $0.pages.count }
      await observed.refetch()
      expect(observed.hasNextPage && !observed.isFetchingNextPage)
      await observed.fetchNextPage()
      expect(observed.pages == ["page 0", "page 1"] && !observed.hasNextPage)
      try await simulation.settled()
      expect(count.data == 2 && !count.hasNextPage && !count.hasPreviousPage)
    }
  }

  @Test func aPageIsTurned() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let repos = ObservedPagination(Pagination(input: "swift"), client: client) { text, page in
        Query(Search(text: text, page: page))
      }
      repos.moveToNextPage()
      simulation.settle()
      expectEqual(repos.query.data?.map(\.id), [2])
      repos.input = "kotlin"
      simulation.settle()
      expect(repos.query.data?.map(\.name) == ["kotlin"] && repos.page == 1)
      repos.follow(input: "rust", using: client)
      simulation.settle()
      expect(repos.query.data?.map(\.name) == ["rust"] && repos.input == "rust")
    }
  }

  @Test func severalQueriesAreOneObject() {
    Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let batch = ObservedQueries([AnyQuery(.user(1)), AnyQuery(.repos(1))], client: client)
      simulation.settle()
      let (user, repos): (User?, [Repo]?) = (batch[.user(1)]?.data, batch[.repos(1)]?.data)
      expect(user?.id == 1 && repos?.count == 1)
      batch.update([AnyQuery(.user(2))])
      expect(batch[.user(2)]?.isFetching == true && batch[.repos(1)] == nil)
    }
  }

  @Test func aButtonRunsAMutation() throws {
    try Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let rename = ObservedMutation(
        Mutation("rename") { try await api.rename($0, to: "Grace") } as Mutation<User.ID, User>,
        client: client
      )
      rename.run(1)
      expect(rename.isPending && rename.input == 1)
      let user: User = try await rename.mutate(2)
      expect(user.name == "Grace" && rename.output == user)
      rename.reset()
      expect(rename.isIdle && rename.error == nil)
    }
  }

  @Test func aBoundaryShowsErrors() throws {
    try Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let app = ErrorBoundary { /* logs */  }
      let boundary = ErrorBoundary(parent: app, catches: { !($0 is AuthError) })
      let failing = Query<User>("users", 1, fetch: ScriptedFetch(.failure(Offline()), .value(.ada)))
        .retry(0).throwOnError(.when { error, info in info.data == nil && error is Offline })
      let user = ObservedQuery(failing, client: client)
      user.boundary = boundary
      do {
        _ = try await user.firstValue()
        Issue.record("there is a value")
      } catch {
        #expect(error is Offline)
      }
      try await simulation.settled()
      #expect(boundary.error is Offline && boundary.errors.count == 1 && app.error == nil)
      await boundary.reset()
      expect(user.data == .ada && boundary.error == nil)
      boundary.report(AuthError()) { await user.refetch() }
      #expect(app.error is AuthError)
      app.dismiss()
      let name: String = try await ObservedSelection(failing, client: client) { $0.name }
        .firstValue()
      expectEqual(name, "Ada")
    }
  }

  @MainActor final class UserSearch: QueryFetcher {
    var email = ""

    func fetch() async throws -> User { try await api.user(email: email) }
  }

  @Test func aFetcherIsChangedAndFetches() throws {
    try Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let search = ObservedFetcher("search", fetcher: UserSearch(), client: client)
      let result = await search.refetch { $0.email = "ada@example.com" }
      expect(result.data?.email == "ada@example.com" && search.query.data == result.data)
      @MainActor func tap() { search.refetch { $0.email = "" } }
      tap()
      expectEmpty(search.fetcher.email)
      let users = Query("users", fetcher: ClosureFetcher { try await api.users() }).staleTime(
        .minutes(1)
      )
      let fetched = try await client.fetch(users)
      expectEqual(fetched, [.ada])
      let other = Query(key: "users", fetcher: ClosureFetcher { [User.ada] })
      expectEqual(client.result(for: other).data, [.ada])
    }
  }

  @Test func anObjectIsTold() {
    Simulation.onMainActor { simulation in
      final class Label { var text = "" }
      let client = QueryClient(simulation: simulation)
      let label = Label()
      let observation = client.observe(.user(42), on: label) { [weak label] result in
        label?.text = result.data?.name ?? "…"
      }
      expect(label.text == "…" && observation.isObserving)
      simulation.settle()
      expectEqual(label.text, "Ada")
      observation.cancel()
    }
  }

  @Test func dataWithADefaultIsNeverMissing() throws {
    try Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let users = Query<[User]>(key: ["defaulted"]) { [] }.defaulting(to: [User(id: 0, name: "-")])
      let observed = ObservedDefaultedQuery(users, client: client)
      let same = ObservedDefaultedQuery(observed.query, default: observed.defaultValue)
      expect(observed.data.map(\.name) == ["-"] && same.isDefault && observed.isLoading)
      try await simulation.settled()
      expect(observed.data.isEmpty && !observed.isDefault && !observed.isRestoring)
      await observed.refetch()
      expectEqual(observed.cause, .manual)
    }
  }

  @Test func aListIsCommandedAsAWhole() throws {
    try Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let queries = [AnyQuery(.user(1)), AnyQuery(.repos(1))]
      let batch = ObservedQueries(queries, client: client)
      let boundary = ErrorBoundary()
      batch.boundary = boundary
      await batch.refetch()
      await batch.invalidate()
      await batch.reset()
      @MainActor func tap() {
        batch.refetch()
        batch.invalidate()
        batch.reset()
        boundary.reset()
      }
      tap()
      try await simulation.settled()
      let all = try #require(batch.results).all
      expect(all.map(\.key) == queries.map(\.key) && all.allSatisfy(\.isSuccess))
      #expect(all.allSatisfy { $0.data != nil && $0.error == nil && !$0.isPlaceholderData })
      expectEqual(batch.results?.position(of: QueryKey<User>("users", 1)), 0)
      expect(all[0].isSame(as: all[0]) && all[0].hasSameError(as: all[1]))
      await client.refetch(.queries(queries) && .active)
      expectEqual(client.fetchingCount(.queries([])), 0)
      expect(!client.shouldThrow(Offline(), of: queries[0]))
    }
  }

  @Test func aPageThrowsWhereThatIsWanted() throws {
    try Simulation.onMainActor { simulation in
      let client = QueryClient(simulation: simulation)
      let feed = ObservedQuery(
        InfiniteQuery<Int, Int>("throwing", initialPageParam: 1) { page in
          if page > 1 { throw Offline() }
          return page
        } nextPageParam: {
          $0.pages.count + 1
        }.retry(0),
        client: client
      )
      try await simulation.settled()
      await #expect(throws: Offline.self) { try await feed.fetchNextPage(throwOnError: true) }
      expect(feed.isFetchNextPageError && feed.pages == [1])
      try await feed.fetchPreviousPage(throwOnError: true)
      let failed = try await feed.fetchNextPage(throwOnError: false)
      expect(failed.isFetchNextPageError && failed.data?.pages == [1])
      feed.stop()
      await #expect(throws: CancellationError.self) {
        try await feed.fetchNextPage(throwOnError: true)
      }
    }
  }
}
