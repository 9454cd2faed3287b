import StreamQuery
import StreamQueryTesting
import Testing

/// Real threads at once, without a simulation: for the thread sanitizer, and for what must hold
/// in any order.
@Suite(.timeLimit(.minutes(10))) struct StressTests {
  static let workers = 8

  /// Runs a body on several tasks of the global executor, and waits for all.
  private func concurrently(
    _ workers: Int = Self.workers,
    _ body: @escaping @Sendable (Int) async -> Void
  ) async {
    await withTaskGroup { group in
      for worker in 0..<workers { group.addTask { await body(worker) } }
    }
  }

  // C04
  @Test func noUpdateIsLost() async {
    let client = QueryClient()
    let key = QueryKey<Int>("n")
    await concurrently { worker in
      for _ in 0..<500 {
        client.updateData(for: key) { $0 = ($0 ?? 0) + 1 }
        client.updateData(for: QueryKey<Int>("own", worker)) { $0 = ($0 ?? 0) + 1 }
      }
    }
    expectEqual(client.data(for: key), Self.workers * 500)
    for worker in 0..<Self.workers {
      expectEqual(client.data(for: QueryKey<Int>("own", worker)), 500)
    }
  }

  // T45
  @Test func noBulkUpdateIsLostOrTorn() async {
    let client = QueryClient()
    let keys = (0..<4).map { QueryKey<Int>("n", $0) }
    for key in keys { client.setData(0, for: key) }
    await concurrently { worker in
      for _ in 0..<100 {
        client.updateData(matching: "n", of: Int.self) { _, value in value? += 1 }
        // One transaction: all of them, or none.
        let seen = Set(client.entries(of: Int.self, "n").map(\.data))
        expectEqual(seen.count, 1)
      }
    }
    expectEqual(keys.map { client.data(for: $0) }, Array(repeating: Self.workers * 100, count: 4))
  }

  // T82
  @Test func everyConsumerSeesGrowingValuesAndTheLastOne() async {
    let client = QueryClient()
    let key = QueryKey<Int>("n")
    let last = 2_000
    await withTaskGroup { group in
      for consumer in 0..<6 {
        let stream = client.stream(Query<Int>(key: key))
        let results = client.results(of: Query<Int>(key: key))
        group.addTask {
          var before = -1
          if consumer.isMultiple(of: 2) {
            for await result in stream {
              guard let value = result.data else { continue }
              #expect(value > before)
              before = value
              if value == last { return }
            }
          } else {
            for await result in results {
              guard let value = result.data else { continue }
              #expect(value > before)
              before = value
              if value == last { return }
            }
          }
        }
      }
      group.addTask { for value in 1...last { client.setData(value, for: key) } }
    }
    expectEqual(client.diagnostics().map(\.observerCount), [0])
  }

  // Q05 T31
  @Test func everythingAtOnceAnswersEverybody() async {
    var configuration = QueryClient.Configuration()
    // Entries that are written by key have no fetch closure, and no option of a query: they are tried again.
    configuration.defaults.options.retry = .backoff(.constant(.milliseconds(1)))
    let client = QueryClient(configuration: configuration)
    let runs = Dial(0)
    func query(_ key: Int) -> Query<Int> {
      Query("k", key) {
        runs.with { $0 += 1 }
        // Gives way now and then, as a real fetch does.
        await withUnsafeContinuation { $0.resume() }
        if key == 3 { throw Boom() }
        return key
      }.staleTime(.zero).gcTime(.zero).retry(.never)
    }
    let queries = (0..<4).map(query)
    let answers = Dial(0)
    await concurrently { worker in
      var chance = Chance(seed: UInt64(worker))
      for _ in 0..<150 {
        let query = queries[chance.below(4)]
        switch chance.below(10) {
        case 0: client.setData(-1, for: query, fencing: chance.oneIn(2))
        case 1: client.updateData(for: query) { $0? += 0 }
        case 2: await client.invalidate(.query(query), refetch: .all)
        case 3: client.remove(query)
        case 4: await client.refetch("k")
        case 5: client.cancel("k" && .where { $0.observerCount == 0 })
        case 6: await client.reset(query)
        case 7:
          for await result in client.stream(query) where !result.isFetching { break }
        case 8:
          let task = Task { _ = try? await client.fetch(query) }
          task.cancel()
          await task.value
        default: _ = try? await client.fetch(query)
        }
        answers.with { $0 += 1 }
      }
    }
    expectEqual(answers.value, Self.workers * 150)
    #expect(runs.value > 0)
    #expect(client.diagnostics().allSatisfy { $0.observerCount == 0 && $0.waiterCount == 0 })
    client.clear()
    expectEmpty(client.diagnostics())
  }

  // T32
  @Test func streamsThatComeAndGoLeaveNothing() async {
    let weakClient: Weak<QueryClient>
    do {
      let client = QueryClient()
      weakClient = Weak(client)
      await concurrently { worker in
        for round in 0..<150 {
          let observer = client.observer(of: Query("k", round % 3) { round })
          let task = Task { for await _ in observer.stream {} }
          observer.update(query: Query("k", (round + 1) % 3) { round })
          observer.update(options: ObserverOptions(enabled: round.isMultiple(of: 2)))
          _ = observer.result
          task.cancel()
          await task.value
        }
      }
      #expect(client.diagnostics().allSatisfy { $0.observerCount == 0 })
      client.shutDown()
    }
    _ = weakClient
  }

  // T58
  @Test func eventsKeepTheirOrderUnderManyWriters() async {
    let last = Dial<UInt64>(0)
    let disorder = Dial(0)
    let client = QueryClient(
      configuration: .init(onEvent: { event in
        last.with { last in
          if event.number != last + 1 { disorder.with { $0 += 1 } }
          last = event.number
        }
      })
    )
    await concurrently { worker in
      for round in 0..<300 {
        client.setData(round, for: QueryKey<Int>("k", (worker + round) % 5))
        if round.isMultiple(of: 50) { client.remove("k") }
        if round.isMultiple(of: 40) {
          var count = 0
          let events = client.events
          client.setData(1, for: QueryKey<Int>("mine", worker))
          for await _ in events {
            count += 1
            break
          }
          expectEqual(count, 1)
        }
      }
    }
    expectEqual(disorder.value, 0)
  }

  // T58
  @Test func whoSubscribesToEventsWhileOthersLeaveHearsThem() async {
    let client = QueryClient()
    await concurrently { worker in
      for round in 0..<400 {
        let events = client.events
        client.setData(round, for: QueryKey<Int>("mine", worker))
        for await _ in events { break }
      }
    }
    expectEqual(client.diagnostics().count, Self.workers)
  }

  // T52
  @Test func aCountComesToRestAtZero() async {
    let client = QueryClient()
    let counts = client.fetchingCountStream()
    let watcher = Task {
      var busy = false
      for await count in counts {
        if count > 0 { busy = true }
        if busy, count == 0, client.data(for: QueryKey<Int>("done")) != nil { return true }
      }
      return false
    }
    await concurrently { worker in
      for round in 0..<50 {
        _ = try? await client.fetch(
          Query("k", worker, round) {
            await withUnsafeContinuation { $0.resume() }
            return round
          }
        )
      }
    }
    client.setData(1, for: QueryKey<Int>("done"))
    // One more fetch, so that a count follows the mark.
    _ = try? await client.fetch(
      Query("last") {
        await withUnsafeContinuation { $0.resume() }
        return 1
      }
    )
    expectEqual(client.fetchingCount(), 0)
    client.shutDown()
    _ = await watcher.value
  }

  @Test func deinitsThatUseTheClientFromManyThreads() async {
    let client = QueryClient()
    let ends = Dial(0)
    await concurrently { worker in
      for round in 0..<200 {
        let witness = Witness { [weak client] in
          ends.with { $0 += 1 }
          client?.setData(round, for: QueryKey<Int>("side", worker))
          client?.remove(QueryKey<Int>("side", worker + 1))
        }
        client.setData(witness, for: QueryKey<Witness>("w", round % 3))
      }
    }
    client.clear()
    expectEqual(ends.value, Self.workers * 200)
  }

  @Test func aHandleObservesWhatItWasToldLast() async {
    let client = QueryClient()
    let keys = (0..<4).map { QueryKey<Int>("n", $0) }
    for (number, key) in keys.enumerated() { client.setData(number, for: key) }
    let handle = client.observer(of: Query<Int>(key: keys[0]))
    for _ in 0..<200 {
      await concurrently(4) { worker in handle.update(query: Query<Int>(key: keys[worker])) }
      expectEqual(handle.result.data, client.data(for: handle.query))
    }
  }
}
