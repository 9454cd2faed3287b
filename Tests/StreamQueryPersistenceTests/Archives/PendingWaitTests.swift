import StreamQueryTesting
import Testing

@testable import StreamQuery
import StreamQueryPersistence

/// Which fetches wait for archives, for how long, and which an archive ends.
struct PendingWaitTests {
  private struct Broken: Error {}

  private let waiting = [ResultSummary<String>.pending(isFetching: true)]

  @Test func aFetchThatHasNotGotAsFarAsWaitingIsEnded() {
    let world = PendingWorld()
    // The import gets the archive before the fetch's task runs.
    world.input.yield(world.archive())
    let recording = world.simulation.record(world.client.stream(world.query))
    world.simulation.advance(by: .seconds(3))
    expectEqual(recording.summaries.map(\.data).last, "theirs")
    expectEqual(world.fetch.callCount, 0)
    recording.cancel()
  }

  @Test func aFetchThatWaitsForRoomIsEnded() {
    let world = PendingWorld(room: 1)
    let slow = Query(key: "slow" as QueryKey<String>, fetch: ScriptedFetch<String>(.never))
    let other = world.simulation.record(world.client.stream(slow))
    world.simulation.settle()
    let recording = world.simulation.record(world.client.stream(world.query))
    world.simulation.settle()
    world.send(world.archive())
    #expect(recording.summaries == waiting + [.success("theirs")])
    expectEqual(world.fetch.callCount, 0)
    recording.cancel()
    other.cancel()
  }

  @Test func aFetchThatRestsBetweenAttemptsIsEnded() {
    let world = PendingWorld(fetching: .failure(Broken()), timeout: .seconds(5))
    let query = world.query.retry(3) { _ in .minutes(1) }
    let recording = world.simulation.record(world.client.stream(query))
    world.simulation.advance(by: .seconds(6))
    expectEqual(world.fetch.callCount, 1)
    world.send(world.archive())
    world.simulation.advance(by: .minutes(10))
    expectEqual(recording.summaries.map(\.data).last, "theirs")
    expectEqual(world.fetch.callCount, 1)
    recording.cancel()
  }

  @Test func waitsTakeNoRoom() {
    let world = PendingWorld(room: 1)
    let recording = world.simulation.record(world.client.stream(world.query))
    world.simulation.settle()
    let free = Query(
      key: "free" as QueryKey<String>,
      fetch: ScriptedFetch<String>(.value("free", after: .seconds(1)))
    )
    let other = world.simulation.record(world.client.stream(free))
    world.simulation.advance(by: .seconds(1))
    #expect(other.summaries == waiting + [.success("free")])
    expectEqual(world.fetch.callCount, 0)
    // It takes its turn when its wait is over.
    let busy = Query(
      key: "busy" as QueryKey<String>,
      fetch: ScriptedFetch<String>(.value("busy", after: .seconds(1)))
    )
    let third = world.simulation.record(world.client.stream(busy))
    world.simulation.settle()
    world.input.finish()
    world.simulation.settle()
    expectEqual(world.fetch.callCount, 0)
    world.simulation.advance(by: .seconds(1))
    expectEqual(world.fetch.callCount, 1)
    world.simulation.advance(by: .seconds(1))
    #expect(recording.summaries == waiting + [.success("own")])
    for recording in [recording, other, third] { recording.cancel() }
  }

  @Test func aWaitIsOverAtItsLimit() {
    for (limit, seconds) in [(Duration.seconds(30), 30), (.seconds(5), 5), (.zero, 0)] {
      let world = PendingWorld(timeout: limit)
      let recording = world.simulation.record(world.client.stream(world.query))
      if seconds > 0 {
        world.simulation.advance(by: .seconds(seconds) - .milliseconds(1))
        expectEqual(world.fetch.callCount, 0)
        world.simulation.advance(by: .milliseconds(1))
      }
      world.simulation.settle()
      expectEqual(world.fetch.callCount, 1)
      world.simulation.advance(by: .seconds(1))
      #expect(recording.summaries == waiting + [.success("own")])
      recording.cancel()
    }
  }

  @Test func whoeverComesAndGoesAKeyIsNotAwaitedForLongerThanTheLimit() {
    let world = PendingWorld(timeout: .seconds(30))
    var counts: [Int] = []
    for _ in 0..<2 {
      let recording = world.simulation.record(world.client.stream(world.query))
      world.simulation.advance(by: .seconds(20))
      counts.append(world.fetch.callCount)
      recording.cancel()
      world.simulation.settle()
    }
    expectEqual(counts, [0, 1])
  }

  @Test func whenAnImportEndsTheLimitIsThatOfTheOthers() {
    for (seconds, other) in [(2, 5), (2, 60), (10, 5)] {
      let world = PendingWorld(timeout: .hours(1))
      let (archives, input) = AsyncStream.makeStream(of: CacheArchive.self)
      _ = world.simulation.task { [client = world.client] in
        await client.import(contentsOf: archives, timeout: .seconds(other))
      }
      input.yield(CacheArchive(pending: [world.text]))
      world.simulation.settle()
      let recording = world.simulation.record(world.client.stream(world.query))
      world.simulation.advance(by: .seconds(seconds))
      _ = world.finish()
      if seconds < other {
        world.simulation.advance(by: .seconds(other - seconds) - .milliseconds(1))
        expectEqual(world.fetch.callCount, 0)
        world.simulation.advance(by: .milliseconds(1))
      }
      world.simulation.settle()
      expectEqual(world.fetch.callCount, 1)
      recording.cancel()
      input.finish()
      world.simulation.settle()
    }
  }

  @Test func aWaitWithoutALimitIsOverWithTheArchives() {
    let world = PendingWorld(timeout: .seconds(Int64.max))
    let recording = world.simulation.record(world.client.stream(world.query))
    world.simulation.advance(by: .hours(10))
    #expect(recording.summaries == waiting)
    world.input.finish()
    world.simulation.advance(by: .seconds(1))
    #expect(recording.summaries == waiting + [.success("own")])
    recording.cancel()
  }

  @Test func attemptsOfAFetchThatBeganBeforeDoNotWait() {
    let fetch = ScriptedFetch<String>(
      .failure(Broken(), after: .seconds(1)),
      .value("own", after: .seconds(1))
    )
    let query = Query(key: "name" as QueryKey<String>, fetch: fetch)
      .retry(3) { _ in .seconds(1) }
    var recording: ResultRecording<QueryResult<String>>?
    let world = PendingWorld { simulation, client in
      recording = simulation.record(client.stream(query))
      simulation.settle()
    }
    world.simulation.advance(by: .seconds(3))
    expectEqual(recording?.summaries.map(\.data).last, "own")
    expectEqual(fetch.callCount, 2)
    recording?.cancel()
  }

  @Test func aRefetchOfDataDoesNotWait() {
    let world = PendingWorld()
    world.client.setData("kept", for: world.key)
    let recording = world.simulation.record(world.client.stream(world.query))
    world.simulation.advance(by: .seconds(1))
    expectEqual(recording.summaries.map(\.data).last, "own")
    recording.cancel()
  }

  @Test func staleAndInvalidatedDataIsShownAndDoesNotEndTheFetch() {
    for isInvalidated in [false, true] {
      let world = PendingWorld()
      let query = world.query.staleTime(.minutes(1))
      let recording = world.simulation.record(world.client.stream(query))
      world.simulation.settle()
      world.send(
        world.archive(age: isInvalidated ? 0 : 36_000, isInvalidated: isInvalidated)
      )
      expectEqual(world.fetch.callCount, 1)
      world.simulation.advance(by: .seconds(1))
      expectEqual(recording.summaries.map(\.data), [nil, "theirs", "own"])
      recording.cancel()
    }
  }

  @Test func dataOfAQueryThatIsAlwaysStaleEndsTheFetchUnlessItIsOlderThanTheLimit() {
    for (age, count) in [(29.0, 0), (30.0, 1)] {
      let world = PendingWorld()
      let recording = world.simulation.record(world.client.stream(world.query))
      world.simulation.settle()
      world.send(world.archive(age: age))
      world.simulation.advance(by: .seconds(1))
      expectEqual(world.fetch.callCount, count)
      recording.cancel()
    }
  }

  // MARK: Data from elsewhere

  /// Who brings data of a key whose fetch waits.
  private enum Source: CaseIterable {
    case write, fencingWrite, freshArchive, staleArchive, otherImport, initialData
  }

  private func bring(by source: Source, in world: PendingWorld) {
    let client = world.client
    switch source {
    case .write: client.setData("there", for: world.key)
    case .fencingWrite: client.setData("there", for: world.key, fencing: true)
    case .freshArchive: client.import(world.archive("there"), for: [.values(of: String.self)])
    case .staleArchive:
      client.import(world.archive("there", age: 36_000), for: [.values(of: String.self)])
    case .otherImport:
      _ = world.simulation.task { [archive = world.archive("there")] in
        let archives = AsyncStream {
          $0.yield(archive)
          $0.finish()
        }
        return await client.import(contentsOf: archives, for: [.values(of: String.self)])
      }
    case .initialData:
      let query = world.query.staleTime(.hours(1)).initialData("there")
      world.simulation.record(client.stream(query)).cancel()
    }
    world.simulation.settle()
  }

  @Test func noFetchWaitsIfItsDataIsThere() {
    for source in Source.allCases {
      let world = PendingWorld(timeout: .hours(1))
      let query = world.query.staleTime(.hours(1))
      let recording = world.simulation.record(world.client.stream(query))
      world.simulation.settle()
      bring(by: source, in: world)
      // Its data is fresh and from the server, or nothing but a fetch is newer.
      let isEnough = [Source.fencingWrite, .freshArchive, .otherImport].contains(source)
      expectEqual(world.client.fetchingCount(), isEnough ? 0 : 1, "\(source)")
      world.simulation.advance(by: .seconds(1))
      expectEqual(world.fetch.callCount, isEnough ? 0 : 1, "\(source)")
      let shown = [nil, "there"] + (isEnough ? [] : ["own"])
      expectEqual(recording.summaries.map(\.data), shown, "\(source)")
      recording.cancel()
    }
  }

  @Test func whoWaitsForAFetchGetsItsAnswerAfterAWrite() {
    let world = PendingWorld(timeout: .hours(1))
    let caller = world.simulation.task { [client = world.client, query = world.query] in
      try? await client.fetch(query)
    }
    world.simulation.settle()
    world.client.setData("mine", for: world.key)
    expectEqual(world.simulation.run { await caller.value }, "own")
    expectEqual(world.simulation.now, .seconds(1))
  }

  // MARK: Circles

  @Test func twoClientsThatImportEachOtherDoNotWaitForEver() {
    let simulation = Simulation(seed: 11)
    let clients = [QueryClient(simulation: simulation), QueryClient(simulation: simulation)]
    let key: QueryKey<String> = "name"
    let queries = clients.map { _ in
      Query(
        key: key,
        fetch: ScriptedFetch<String>(.failure(Broken(), after: .seconds(1)), .value("own"))
      ).retry(3) { _ in .seconds(1) }
    }
    let first = clients.indices.map { simulation.record(clients[$0].stream(queries[$0])) }
    simulation.settle()
    for (client, other) in zip(clients, clients.reversed()) {
      _ = simulation.task { await client.import(contentsOf: other.exportStream().map(\.archive)) }
    }
    simulation.settle()
    // Cancelled, and begun again while the other client names the key.
    for recording in first { recording.cancel() }
    simulation.settle()
    let second = clients.indices.map { simulation.record(clients[$0].stream(queries[$0])) }
    simulation.advance(by: .seconds(10))
    expectEqual(second.map { $0.summaries.last?.data }, ["own", "own"])
    for recording in second { recording.cancel() }
    for client in clients { client.shutDown() }
  }

  @Test func aClientThatImportsItsOwnArchivesDoesNotWaitForItself() {
    let simulation = Simulation(seed: 12)
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<String>(.value("own", after: .seconds(1)))
    let query = Query(key: "name" as QueryKey<String>, fetch: fetch)
    let first = simulation.record(client.stream(query))
    simulation.settle()
    _ = simulation.task { await client.import(contentsOf: client.exportStream().map(\.archive)) }
    simulation.settle()
    first.cancel()
    simulation.settle()
    let second = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(2))
    expectEqual(second.summaries.last?.data, "own")
    second.cancel()
    client.shutDown()
  }

  @Test func aSourceThatFetchesANamedKeyWaitsForItselfNoLongerThanTheLimit() {
    let simulation = Simulation(seed: 13)
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<String>(.value("token", after: .seconds(1)))
    let token = Query(key: "name" as QueryKey<String>, fetch: fetch)
    let archives = AsyncStream<Int> {
      for number in 0...1 { $0.yield(number) }
      $0.finish()
    }.map { number in
      if number == 1 { _ = try? await client.fetch(token) }
      return CacheArchive(pending: number == 0 ? [#"Swift.String["name"]"#] : [])
    }
    _ = simulation.run { await client.import(contentsOf: archives) }
    expectEqual(simulation.now, .seconds(31))
    client.shutDown()
  }

  // MARK: Cancellation

  /// An archive, and then nothing, whatever happens to the task.
  private struct Deaf: AsyncSequence, Sendable {
    let first: CacheArchive
    let more = SharedOneShot<CacheArchive>()

    struct Iterator: AsyncIteratorProtocol {
      var first: CacheArchive?
      let more: SharedOneShot<CacheArchive>

      mutating func next() async -> CacheArchive? {
        if let first = first.take() { return first }
        return await more.wait()
      }

      mutating func next(isolation actor: isolated (any Actor)?) async -> CacheArchive? {
        await next()
      }
    }

    func makeAsyncIterator() -> Iterator { Iterator(first: first, more: more) }
  }

  @Test func cancellingTheImportLetsFetchesGoEvenIfItsArchivesGoOn() {
    let simulation = Simulation(seed: 14)
    let client = QueryClient(simulation: simulation)
    let archives = Deaf(first: CacheArchive(pending: [#"Swift.String["name"]"#]))
    let task = simulation.task { await client.import(contentsOf: archives) }
    simulation.settle()
    let fetch = ScriptedFetch<String>(.value("own", after: .seconds(1)))
    let query = Query(key: "name" as QueryKey<String>, fetch: fetch)
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    expectEqual(fetch.callCount, 0)
    task.cancel()
    simulation.settle()
    expectEqual(fetch.callCount, 1)
    _ = simulation.run { await task.value }
    archives.more.give(CacheArchive())
    recording.cancel()
    simulation.settle()
  }
}
