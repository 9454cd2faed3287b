import StreamQuery
import StreamQueryTesting
import Testing

/// Failures that are the answer for a while.
struct CachedFailureTests {
  private static func query(_ steps: ScriptedFetch<Int>.Step...) -> Query<Int> {
    Query("n", fetch: ScriptedFetch<Int>(steps)).cachesFailures(.seconds(5))
  }

  @Test func aFailureIsThrownWithoutAskingUntilItsTimeIsOver() {
    let world = ServingWorld()
    let query = Self.query(.failure(Boom(1), after: .seconds(1)), .value(7))
    for time in [0, 2, 5.5, 6] as [Double] {
      world.advance(to: time)
      world.ask(query)
    }
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "1.0 failed: boom 1", "1.0 threw boom 1", "2.0 threw boom 1",
        "5.5 threw boom 1", "6.0 fetching", "6.0 fetched", "6.0 got 7",
      ]
    )
    let counts = world.client.lookups
    expectEqual(CacheLookup.allCases.map { counts[$0] }, [0, 0, 0, 2, 2])
    expectEqual(counts.total, 4)
    expectEqual(counts.hitRatio, 0)
  }

  /// Nobody observes the entry, so it would leave at once.
  @Test(arguments: [Duration.zero, .seconds(2)])
  func theEntryStaysForAsLongAsItsFailureLasts(retention: Duration) {
    let world = ServingWorld()
    let query = Self.query(.failure(Boom(1)), .value(7)).gcTime(retention)
    for time in [0, 4, 4.5] as [Double] {
      world.advance(to: time)
      world.ask(query)
    }
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "0.0 failed: boom 1", "0.0 threw boom 1", "4.0 threw boom 1",
        "4.5 threw boom 1",
      ]
    )
    world.advance(to: 4.999)
    expectEqual(world.client.diagnostics().count, 1)
    world.advance(to: 5)
    expectEqual(world.client.diagnostics().count, 0)
    world.ask(query)
    expectEqual(world.news(), ["5.0 fetching", "5.0 fetched", "5.0 got 7"])
    world.advance(to: 5.0 + retention / .seconds(1))
    expectEqual(world.client.diagnostics().count, 0)
  }

  @Test func anInvalidationEndsTheStayToo() {
    let world = ServingWorld()
    let query = Self.query(.failure(Boom(1))).gcTime(.seconds(1))
    world.ask(query)
    world.advance(to: 2)
    expectEqual(world.client.diagnostics().count, 1)
    world.simulation.run { await world.client.invalidate(.query(query), refetch: .never) }
    world.advance(to: 2.001)
    expectEqual(world.client.diagnostics().count, 0)
  }

  @Test func failuresThatLastLeaveIfThereIsNoRoom() {
    let world = ServingWorld { $0.limit = CacheLimit(maxEntries: 10) }
    for number in 0..<100 {
      world.ask(
        Query("n", number, fetch: ScriptedFetch<Int>(.failure(Boom(1))))
          .cachesFailures(.seconds(Int64.max)).gcTime(.zero)
      )
    }
    expectEqual(world.client.diagnostics().count, 10)
  }

  @Test func everyKindOfCallerGetsIt() {
    let world = ServingWorld()
    let query = Self.query(.failure(Boom(1)), .value(7))
    world.ask(query)
    world.ask(query) { try await $0.ensure($1) }
    world.ask(query) { try await $0.ensure($1, revalidating: true) }
    world.ask(query) { try await $0.fetch($1, throwOnError: true) }
    world.ask(query) { try await $0.fetch($1, timeout: .seconds(1)) }
    world.simulation.run { await world.client.prefetch(query) }
    expectEqual(
      world.news(),
      ["0.0 fetching", "0.0 failed: boom 1"]
        + Array(repeating: "0.0 threw boom 1", count: 5)
    )
  }

  @Test func theErrorSaysHowLong() {
    let world = ServingWorld()
    let query = Query(
      "n",
      fetch: ScriptedFetch<Int>(.failure(Boom(1)), .failure(Boom(2)), .value(7))
    )
    .cachesFailures(.when { ($0 as? Boom)?.code == 2 ? .seconds(5) : nil })
    for time in [0, 1, 2, 6] as [Double] {
      world.advance(to: time)
      world.ask(query)
    }
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "0.0 failed: boom 1", "0.0 threw boom 1", "1.0 fetching",
        "1.0 failed: boom 2", "1.0 threw boom 2", "2.0 threw boom 2", "6.0 fetching", "6.0 fetched",
        "6.0 got 7",
      ]
    )
  }

  @Test func onlyTheLastFailureCounts() {
    let world = ServingWorld()
    let asked = Notes<Int>()
    let query = Query("n", fetch: ScriptedFetch<Int>(.failure(Boom(1)), .failure(Boom(2))))
      .retry(1, delay: { _ in .seconds(1) })
      .cachesFailures(
        .when { error in
          asked.add((error as? Boom)?.code ?? 0)
          return .seconds(5)
        }
      )
    world.ask(query)
    world.ask(query)
    world.advance(to: 5.5)
    world.ask(query)
    expectEqual(asked.all, [2])
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "0.0 attempt failed: boom 1", "1.0 failed: boom 2", "1.0 threw boom 2",
        "1.0 threw boom 2", "5.5 threw boom 2",
      ]
    )
  }

  /// A handle's refetch, a refetch by filter, an invalidation and a write.
  @Test func whoeverAsksForANewAnswerGetsOne() {
    for ask in Self.renewals {
      let world = ServingWorld()
      let query = Self.query(.failure(Boom(1)), .value(7)).staleTime(.seconds(60))
      world.ask(query)
      world.ask(query)
      world.simulation.run { await ask(world.client, query) }
      world.ask(query)
      expectEqual(world.news().suffix(1), ["0.0 got 7"])
    }
  }

  private static let renewals: [@Sendable (QueryClient, Query<Int>) async -> Void] = [
    { _ = try? await $0.observer(of: $1.enabled(false)).refetch() },
    { await $0.invalidate(.query($1)) },
    { await $0.invalidate(.query($1), refetch: .never) },
    { await $0.reset($1) },
    { client, query in client.setData(7, for: query) },
    { client, query in client.remove(.query(query)) },
  ]

  @Test func aFailureOfAnotherClassEndsIt() {
    let world = ServingWorld()
    let query = Query(
      "n",
      fetch: ScriptedFetch<Int>(.failure(Boom(1)), .failure(Boom(2)), .value(7))
    )
    .retry(.never)
    .cachesFailures(.when { ($0 as? Boom)?.code == 1 ? .seconds(5) : nil })
    world.ask(query)
    world.simulation.run {
      _ = try? await world.client.observer(of: query.enabled(false)).refetch()
    }
    world.ask(query)
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "0.0 failed: boom 1", "0.0 threw boom 1", "0.0 fetching",
        "0.0 failed: boom 2", "0.0 fetching", "0.0 fetched", "0.0 got 7",
      ]
    )
  }

  @Test func aRefetchThatIsCancelledLeavesTheFailure() {
    let world = ServingWorld()
    let query = Self.query(.failure(Boom(1)), .never, .value(7)).staleTime(.seconds(60))
    world.client.setData(3, for: query)
    world.advance(to: 60)
    world.ask(query)
    let observer = world.client.observer(of: query.enabled(false))
    let refetch = world.simulation.task { _ = try? await observer.refetch() }
    world.simulation.settle()
    world.client.cancel(query)
    world.simulation.run { await refetch.value }
    world.ask(query)
    expectEqual(world.news().last, "60.0 threw boom 1")
  }

  @Test func staleDataThatMayBeServedIsServedWithoutAsking() {
    let world = ServingWorld()
    let query = Self.query(.value(7), .failure(Boom(1)), .value(8))
      .staleTime(.seconds(10)).staleIfError(.seconds(12))
    for time in [0, 20, 22, 22.5] as [Double] {
      world.advance(to: time)
      world.ask(query)
    }
    world.ask(query) { try await $0.fetch($1, throwOnError: true) }
    world.ask(query) { try await $0.ensure($1) }
    world.advance(to: 25)
    world.ask(query)
    expectEqual(
      world.news(),
      [
        "0.0 fetching", "0.0 fetched", "0.0 got 7", "20.0 fetching", "20.0 failed: boom 1",
        "20.0 served stale to 1", "20.0 got 7", "22.0 got 7", "22.5 threw boom 1",
        "22.5 threw boom 1", "22.5 got 7", "25.0 fetching", "25.0 fetched", "25.0 got 8",
      ]
    )
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func noTimeIsNone(time: Duration) {
    let world = ServingWorld()
    let query = Self.query(.failure(Boom(1)), .value(7)).cachesFailures(FailureCaching(time))
    world.ask(query)
    world.ask(query)
    expectEqual(world.news().last, "0.0 got 7")
  }

  @Test(arguments: [Duration.seconds(Int64.max), Duration(attoseconds: .max)])
  func enormousTimesAreForEver(time: Duration) {
    let world = ServingWorld()
    let query = Self.query(.failure(Boom(1)), .value(7)).cachesFailures(FailureCaching(time))
      .gcTime(time)
    world.ask(query)
    world.advance(to: 1e9)
    world.ask(query)
    expectEqual(world.news().last?.hasSuffix("threw boom 1"), true)
  }
}
