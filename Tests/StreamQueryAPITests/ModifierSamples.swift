import Foundation
@_spi(Adapters) import StreamQuery
import StreamQueryTesting
import Testing

/// Options as modifiers, in all their forms.
struct ModifierSamples {
  let query = Query("users", 1) { try await api.user(1) }

  @Test func modifiersChain() {
    let chained =
      query
      .staleTime(.minutes(5))
      .gcTime(.hours(1))
      .retry(3)
      .enabled(true)
      .placeholder(.ada)
      .initialData(.ada) { Date(timeIntervalSinceNow: -60) }
      .initialData(.ada)
      .networkMode(.offlineFirst)
      .refetchInterval(.seconds(30))
      .refetchOnReconnect(.ifStale)
      .refetchOnActive(.always)
      .refetchOnSubscribe(.never)
      .retryOnSubscribe(false)
      .onAbandonment(.linger(.seconds(2)))
      .throwOnError(true)
      .merge { old, new in old.name == new.name ? old : new }
      .onSuccess { user, context in context.client.setData(user, for: .user(user.id)) }
      .onError { error, context in print(context.key, context.meta, error) }
      .onSettled { result, _ in _ = try? result.get() }
    expectEqual(chained.options.gcTime, .hours(1))
    expect(chained.options.refetchOnSubscribe != nil)
    expectEqual(chained.options.onAbandonment, .linger(.seconds(2)))
    expectEqual(chained.options.networkMode, .offlineFirst)
  }

  @Test func modifiersFollowALongClosure() {
    let chained = Query("users", 1) { context in
      let user = try await api.user(1, isRetry: context.attempt > 0)
      return user
    }
    .staleTime(.minutes(5)).gcTime(.hours(1)).retry(3)
    .refetchOnActive(.when { true })
    .placeholder(.ada)
    .retryOnSubscribe { !($0 is CancellationError) }
    let previous = chained.placeholder { previous, key in key == nil ? .ada : previous }
    let typed: Query<User> = previous
    expectEqual(typed.options.gcTime, .hours(1))
  }

  @Test func timesAreDurations() {
    let wait = Duration.seconds(7)
    expectEqual(query.gcTime(.minutes(1.5)).options.gcTime, .seconds(90))
    expectEqual(query.gcTime(wait).options.gcTime, .seconds(7))
    _ = query.staleTime(.infinite).staleTime(.static).staleTime(.zero).staleTime(wait)
    _ = query.staleTime(.dynamic { $0.dataUpdateCount > 3 ? .infinite : .after(.zero) })
    _ = query.refetchInterval(wait > .zero ? .seconds(5) : nil).refetchInterval(.off)
    _ = query.refetchInterval(.every(.seconds(5)), inBackground: true)
    _ = query.refetchInterval(
      .dynamic { $0.status == .error ? nil : .seconds(1) },
      inBackground: .every(.minutes(1))
    )
  }

  @Test func optionsAreFunctionsOfTheDataOrOfAllThatIsKnown() {
    let isOpen = true
    _ = query.enabled { $0.data == nil }.enabled { $0.errorUpdateCount < 3 }
    _ = query.enabled(when: { $0.isStale }).enabled { _ in isOpen }.enabled { info in info.isActive
    }
    _ = query.enabled { (user: User?) in user == nil }.enabled { user in user?.name == "Ada" }
    _ = query.enabled(when: { $0?.name == "Ada" }).enabled { (info: QueryInfo) in info.isActive }
    _ = query.refetchInterval { $0.dataUpdateCount < 3 ? .seconds(1) : nil }
    _ = query.refetchInterval { (user: User?) in user == nil ? .seconds(1) : nil }
    _ = query.refetchInterval(inBackground: true) { $0 == nil ? .seconds(1) : .seconds(30) }
    _ = query.staleTime { $0.dataUpdateCount > 3 ? .infinite : .after(.zero) }
    _ = query.staleTime { (user: User?) in user == nil ? .after(.zero) : .infinite }
    let chained: Query<User> = .user(42)
      .enabled { $0?.name != "Eve" }
      .staleTime { user in
        guard let user else { return .after(.zero) }
        return user.name.isEmpty ? .after(.seconds(5)) : .infinite
      }
      .refetchInterval { info in
        let count = info.dataUpdateCount
        return count < 3 ? .seconds(1) : nil
      }
      .refetchOnSubscribe { $0.value(as: User.self) == .ada ? .never : .ifStale }
      .refetchOnReconnect { $0.isStale ? .always : .never }
      .refetchOnActive { _ in .ifStale }
    expect(chained.options.refetchOnSubscribe != nil)
    expect(chained.refetchOnSubscribe(.never).options.refetchOnSubscribe != nil)
    // What suits both is about the data: there is none, but there always is an info.
    expect(QueryClient().result(for: query.enabled { $0 == nil }).isEnabled)
  }

  @Test func lengthsOfTimeAreWrittenInOneWay() {
    _ = QueryOptions(staleTime: .minutes(5), gcTime: .hours(1), refetchInterval: .seconds(30))
    _ = ObserverOptions(staleTime: .milliseconds(500), refetchInterval: .minutes(0.5))
    _ = QueryDefaults(staleTime: .seconds(2.5), gcTime: .minutes(5))
    _ = query.staleTime(.hours(0.5)).refetchInterval(.seconds(30), inBackground: .minutes(5))
    let duration = Duration.seconds(7)
    _ = query.staleTime(duration).staleTime(.after(duration)).refetchInterval(duration)
  }

  @Test func conditionsOfEventsTakeTheInfoOrNothing() {
    actor Gate { var isOpen = true }
    let gate = Gate()
    let isOpen = true
    _ = query.refetchOnActive(.when { isOpen }).refetchOnActive(.when { _ in isOpen })
    _ = query.refetchOnActive(.when { $0.errorUpdateCount == 0 })
      .refetchOnReconnect(.when { info in await gate.isOpen && info.isStale })
      .refetchOnReconnect(.dynamic { $0.isInvalidated ? .always : .ifStale })
    _ = query.refetchOnActive(.when { @MainActor info async in info.isStale })
    var options = ObserverOptions(refetchOnActive: .when { $0.isStale })
    options.refetchOnSubscribe = .dynamic { $0.isStale ? .always : .never }
    expect(options.refetchOnSubscribe != nil)
  }

  @Test func retriesTakeCountsAndRules() {
    let count = 2
    let standard = [1, 2, 4, 8, 16, 30].map { Duration.seconds($0) }
    expectEqual(waits { $0.retry(3) }, Array(standard.prefix(3)))
    expectEqual(waits { $0.retry(count) }, Array(standard.prefix(2)))
    expectEqual(waits { $0.retry(.never) }, [])
    expectEqual(waits { $0.retry(.forever) }, standard)
    expectEqual(waits { $0.retry(.times(count)) }, Array(standard.prefix(2)))
    expectEqual(
      waits { $0.retry(3) { .milliseconds(100 * (1 << $0)) } },
      [.milliseconds(100), .milliseconds(200), .milliseconds(400)]
    )
    expectEqual(waits { $0.retry(3, delay: { .seconds($0) }) }, [.zero, .seconds(1), .seconds(2)])
    let rule = RetryPolicy.while { failures, error in failures < 2 && !(error is AuthError) }
    expectEqual(waits { $0.retry(rule) }, Array(standard.prefix(2)))
    expectEqual(waits(AuthError()) { $0.retry(rule) }, [])
    expectEqual(
      waits { $0.retry(.forever.backoff(.constant(.seconds(9)))) },
      Array(repeating: .seconds(9), count: 7)
    )
    expectEqual(
      waits { $0.retry(.forever.backoff(.custom { failures, _ in .seconds(failures) })) },
      (0...11).map { .seconds($0) }
    )
    // Half of it is left to the layers below: three times, after so long.
    expectEqual(
      waits { $0.retry(.backoff(.constant(.seconds(2)))) },
      Array(repeating: .seconds(2), count: 3)
    )
    let left = waits {
      $0.retry(.times(5).backoff(.exponential(first: .milliseconds(300), jitter: 0.5)))
    }
    expectEqual(left.count, 5)
    for (wait, longest) in zip(left, [300, 600, 1_200, 2_400, 4_800]) {
      #expect(wait > .milliseconds(longest / 2) && wait <= .milliseconds(longest))
    }
    // Left to chance, so they are not all the whole wait.
    let sum: Duration = left.reduce(.zero, +)
    #expect(sum < .milliseconds(9_250))
  }

  /// The waits between the attempts of a query that always fails, in the first 70 seconds.
  private func waits(
    _ error: any Error = Offline(),
    _ change: (Query<User>) -> Query<User>
  ) -> [Duration] {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<User>(.failure(error, after: .milliseconds(10)))
    let recording = simulation.record(client.stream(change(Query("users", 1, fetch: fetch))))
    simulation.advance(by: .seconds(70))
    let calls = fetch.calls
    // Every failure is a snapshot; while attempts follow, none of them is the result's error.
    expectEqual(recording.values.map(\.failureCount), Array(0...calls.count))
    #expect(recording.values.dropLast().allSatisfy { $0.isPending && $0.error == nil })
    expectEqual(recording.values.last?.isFetching, recording.values.last?.error == nil)
    recording.cancel()
    return zip(calls.dropFirst(), calls).map { $0.start - ($1.end ?? $1.start) }
  }

  @Test(arguments: [true, false])
  func policiesTakeBoolLiteralsAndVariables(isLive: Bool) {
    let variable = query.refetchOnSubscribe(isLive).refetchOnActive(isLive)
      .refetchOnReconnect(isLive).throwOnError(isLive).enabled(isLive)
    expect(variable.options.refetchOnSubscribe != nil)
    expectEqual(variable.options.throwOnError?.shouldThrow(AuthError()), isLive)
    let literal = query.refetchOnActive(false).refetchOnReconnect(true).throwOnError(false)
    expectEqual(literal.options.throwOnError?.shouldThrow(AuthError()), false)
    let chosen = query.refetchOnActive(isLive ? .always : .never)
      .refetchOnReconnect(isLive ? .always : .never)
      .throwOnError(.when { $0 is AuthError }).throwOnError(.never)
    expectEqual(chosen.options.throwOnError?.shouldThrow(AuthError()), false)
    let options = ObserverOptions(
      enabled: isLive,
      refetchOnSubscribe: false,
      refetchOnActive: true,
      refetchIntervalInBackground: true
    )
    expect(options.refetchOnSubscribe != nil)
  }

  @Test func subscriptionsMayBeConditional() {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    let isSearching = false
    let fetch = ScriptedFetch<Int>(.value(1))
    let query = Query("n", fetch: fetch).staleTime(.minutes(5))
    client.setData(0, for: query)
    var recordings: [ResultRecording<QueryResult<Int>>] = []
    for query in [
      query.refetchOnSubscribe(.when { isSearching }),
      query.refetchOnSubscribe(.when { $0.observerCount > 0 }),
      query.refetchOnSubscribe(.dynamic { $0.status == .success ? .ifStale : .always }),
      query.refetchOnSubscribe(.when { !isSearching }),
      query.refetchOnSubscribe(.ifStale).refetchOnSubscribe(.always),
    ] {
      recordings.append(simulation.record(client.stream(query)))
      simulation.settle()
    }
    expectEqual(fetch.callCount, 3)
  }

  @Test func errorsAreThrownByErrorAndQuery() {
    let simulation = Simulation()
    let client = QueryClient(simulation: simulation)
    let inline = query.throwOnError(.when { $0 is AuthError })
    let empty = query.throwOnError(.when { error, info in error is Offline && info.data == nil })
    expect(
      client.shouldThrow(AuthError(), of: inline) && !client.shouldThrow(Offline(), of: inline)
    )
    // An unknown query is not asked about.
    expect(!client.shouldThrow(Offline(), of: empty))
    _ = simulation.record(client.stream(empty.enabled(false)))
    simulation.settle()
    expect(client.shouldThrow(Offline(), of: empty) && !client.shouldThrow(AuthError(), of: empty))
    client.setData(.ada, for: empty)
    expect(!client.shouldThrow(Offline(), of: empty))
  }

  @Test func factsTravelWithTheQuery() {
    enum Screen: QueryMetaKey { static let defaultValue = "none" }
    let named = query.meta(Screen.self, "profile")
    expectEqual(named.options.meta?[Screen.self], "profile")
    expectEqual(QueryMeta()[Screen.self], "none")
  }

  @Test func optionsMoveInBags() {
    let bag = QueryOptions(staleTime: .after(.minutes(1)), retry: 2, refetchOnActive: false)
    let changed = query.options(bag).options { $0.gcTime = .zero }
    expectEqual(changed.options.gcTime, .zero)
    expectEqual(changed.key, query.key)
  }
}
