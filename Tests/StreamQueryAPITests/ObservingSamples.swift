@_spi(Adapters) import StreamQuery
import StreamQueryTesting
import Testing

/// Streams, results, observers, and the shapes in which results are read.
struct ObservingSamples {
  let simulation = Simulation()
  let client: QueryClient

  init() {
    client = QueryClient(simulation: simulation)
  }

  @Test func aLoopSwitchesOverThePhase() {
    let client = client
    let lines = simulation.run {
      var lines: [String] = []
      loop: for await result in client.stream(.user(42)) {
        switch result.phase {
        case .pending: lines.append("spinner")
        case .success(let user):
          lines.append("\(user.name)\(result.isFetching ? ", refreshing" : "")")
          break loop
        case .failure(let error, let lastGood):
          lines.append("\(error) \(String(describing: lastGood))")
          break loop
        }
      }
      return lines
    }
    expectEqual(lines, ["spinner", "Ada"])
  }

  @Test(arguments: [true]) func observersAskForMoreThanTheirQuery(isVisible: Bool) {
    let visible = simulation.record(
      client.stream(
        .user(42),
        options: ObserverOptions(
          enabled: isVisible,
          staleTime: .seconds(30),
          refetchInterval: .seconds(10)
        )
      )
    )
    let hidden = simulation.record(client.stream(.user(42), options: .init(enabled: !isVisible)))
    simulation.advance(by: .seconds(25))
    expectEqual(visible.values.last?.cause, .interval)
    expectEqual(hidden.values.last?.isEnabled, false)
    expectEqual(hidden.values.last?.data?.id, 42)
    _ = client.results(
      of: .user(1),
      options: .init(staleTime: .minutes(1), refetchInterval: isVisible ? .seconds(1) : nil)
    )
  }

  @Test func aFirstFrameIsSynchronous() {
    let now: QueryResult<User> = client.result(for: .user(42))
    expect(now.isPending)
    client.setData(.ada, for: .user(42))
    expectEqual(client.result(for: .user(42)).data, .ada)
  }

  @Test func anObserverChangesWhatItAsksFor() throws {
    client.setData(User(id: 2, name: "Alan"), for: .user(2))
    let observer = client.observer(of: .user(1))
    let recording = simulation.record(observer.stream)
    simulation.settle()
    observer.update(query: .user(2))
    simulation.settle()
    expectEqual(observer.result.data?.name, "Alan")
    expectEqual(recording.values.last?.data?.name, "Alan")
    observer.update(options: .init(enabled: false))
    let result = try simulation.run { try await observer.refetch() }
    expectEqual(result.data?.name, "Ada")
    simulation.run {
      await observer.invalidate()
      await observer.reset()
    }
  }

  @Test func resultsCarryEverythingThatViewsAskFor() throws {
    let failing = Query<User>("users", 0) { throw AuthError() }.retry(.never)
    let recording = simulation.record(client.stream(failing))
    simulation.settle()
    let result = try #require(recording.values.last)
    if case .failure(_ as AuthError, lastGood: nil) = result.phase {
    } else {
      Issue.record("the phase is not a failure")
    }
    switch result.phase {
    case .success(let user), .failure(_, let user?): Issue.record("there is data: \(user)")
    case .failure(let error, nil): #expect(error is AuthError)
    case .pending: Issue.record("still pending")
    }
    expect(result.status == .error && result.fetchStatus == .idle)
    expect(result.data == nil && result.dataUpdatedAt == nil)
    #expect(result.error is AuthError && result.failureReason is AuthError)
    expectEqual(result.errorUpdatedAt, simulation.date)
    expect(result.failureCount == 1 && result.errorUpdateCount == 1)
    expect(result.isStale && result.isEnabled && result.isFetched)
    expect(result.isFetchedSinceSubscribing && !result.isPlaceholderData)
    expect(result.isError && result.isLoadingError && !result.isRefetchError)
    expect(!result.isPending && !result.isSuccess && !result.isLoading && !result.isFetching)
    expect(!result.isRefetching && !result.isPaused)
    expectEqual(result.cause, .subscribed)
  }

  @Test func placeholdersAreMarked() {
    let recording = simulation.record(client.stream(.users.placeholder([.ada]).enabled(false)))
    simulation.settle()
    expectEqual(recording.values.first?.isPlaceholderData, true)
    expectNil(client.data(for: .users))
  }

  @Test func aGroupReadsManyObservers() {
    let client = client
    let names = simulation.run {
      let observers = [1, 2].map { client.observer(of: .user($0)) }
      let group = ObservationGroup(client)
      var shown = observers.map { group.insert($0).result(of: $0) ?? .idle }
      while shown.contains(where: \.isPending), let changes = await group.next() {
        for change in changes {
          guard let result = change.result(of: observers[change.position]) else { continue }
          expect(!result.isSame(as: shown[change.position]))
          expect(result.hasSameError(as: shown[change.position]))
          shown[change.position] = result
        }
      }
      expect(!shown[0].hasSameData(as: shown[1]))
      group.remove(0)
      expectEmpty(group.takeChanges())
      for observer in observers { observer.linger(.seconds(1)) }
      // A group retains no member.
      return withExtendedLifetime(observers) { shown.map { $0.data?.name } }
    }
    expectEqual(names, ["Ada", "Ada"])
    expectEqual(client.throwPolicy(of: .user(1)).shouldThrow(Offline()), false)
  }

  /// Reads the results of its observers on itself: no main run loop is needed.
  private actor Ticker {
    private let group: ObservationGroup
    private let users: [QueryObserver<User>]
    private(set) var ids: [Int] = []

    init(_ client: QueryClient) {
      group = ObservationGroup(client)
      users = [1, 2].map { client.observer(of: .user($0)) }
      for user in users { _ = group.insert(user) }
    }

    func run() async {
      // Nothing between two reads leaves the actor.
      while ids.count < 2, let changes = await group.next() {
        ids += changes.compactMap { $0.result(of: users[$0.position])?.data?.id }
      }
    }
  }

  @Test func anActorReadsItsObserversOnItself() {
    let client = client
    let ids = simulation.run {
      let ticker = Ticker(client)
      await ticker.run()
      return await ticker.ids
    }
    expectEqual(ids.sorted(), [1, 2])
  }
}
