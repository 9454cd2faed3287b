import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Testing

/// What a client does with what a store keeps.
struct RestoringTests {
  private let simulation = Simulation(seed: 14)
  private let memory = MemoryStore()
  private let fetch = ScriptedFetch<String>(.value("fetched", after: .milliseconds(100)))
  private var name: Query<String> { Query("name", fetch: fetch) }

  private func client(_ store: any QueryStore, maxAge: Duration = .hours(24)) -> QueryClient {
    QueryClient(simulation: simulation) {
      $0.persistence = Persistence(in: store, maxAge: maxAge)
    }
  }

  private func slow(_ change: (inout SlowStore.Script) -> Void) -> SlowStore {
    SlowStore(memory, clock: simulation.clock, change)
  }

  /// Keeps a name, as a former launch did.
  private func keep(_ value: String = "kept", _ key: QueryKey<String> = "name") {
    let former = client(memory)
    former.setData(value, for: key)
    simulation.advance(by: .seconds(2))
    former.shutDown()
    simulation.settle()
  }

  @Test("T87: what was written in one launch is there in the next, with its age")
  func nextLaunch() {
    keep()
    simulation.advance(by: .seconds(8))
    let client = client(memory)
    simulation.settle()
    expectEqual(client.data(for: name), "kept")
    expect(client.isStale(name.staleTime(.seconds(10))))
    expect(!client.isStale(name.staleTime(.seconds(11))))
    expectEqual(fetch.callCount, 0)
    client.shutDown()
  }

  @Test(
    "T89: until the store is read, a stream is pending, idle and restoring; then stale data shows and is refetched"
  )
  func restoring() {
    keep()
    let client = client(slow { $0.loading = .seconds(1) })
    let recording = simulation.record(client.stream(name))
    simulation.advance(by: .milliseconds(900))
    #expect(recording.summaries == [.pending()])
    expectEqual(recording.values.map(\.isRestoring), [true])
    expect(client.isRestoring)
    expectEqual(fetch.callCount, 0)
    simulation.advance(by: .seconds(1))
    #expect(
      recording.summaries == [.pending(), .success("kept", isFetching: true), .success("fetched")]
    )
    expectEqual(recording.values.map(\.isRestoring), [true, false, false])
    expect(!client.isRestoring)
    recording.cancel()
    client.shutDown()
  }

  @Test("fresh data that was restored is not fetched again")
  func fresh() throws {
    keep()
    let client = client(slow { $0.loading = .seconds(1) })
    let recording = simulation.record(client.stream(name.staleTime(.minutes(1))))
    let value = simulation.task { [client, name] in
      try await client.fetch(name.staleTime(.minutes(1)))
    }
    simulation.advance(by: .seconds(5))
    #expect(recording.summaries == [.pending(), .success("kept")])
    try expectEqual(simulation.run { try await value.value }, "kept")
    expectEqual(fetch.callCount, 0)
    recording.cancel()
    client.shutDown()
  }

  @Test("a query that the store does not know is fetched as soon as that is known")
  func unknown() {
    let client = client(slow { $0.loading = .seconds(1) })
    let recording = simulation.record(client.stream(name))
    simulation.advance(by: .seconds(5))
    #expect(recording.summaries == [.pending(), .pending(isFetching: true), .success("fetched")])
    recording.cancel()
    client.shutDown()
  }

  @Test("a caller that is cancelled while the store is read leaves at once")
  func cancelledCaller() throws {
    let client = client(slow { $0.loading = .seconds(60) })
    let value = simulation.task { [client, name] in try await client.fetch(name) }
    let restored = simulation.task { [client] in try await client.restore() }
    simulation.settle()
    value.cancel()
    restored.cancel()
    simulation.settle()
    simulation.run {
      await #expect(throws: CancellationError.self) { try await value.value }
      await #expect(throws: CancellationError.self) { try await restored.value }
    }
    simulation.advance(by: .seconds(60))
    expectEqual(fetch.callCount, 0)
    client.shutDown()
  }

  @Test("a write while the store is read stays, and what was kept does not replace it")
  func writeWhileRestoring() {
    keep()
    let client = client(slow { $0.loading = .seconds(1) })
    let recording = simulation.record(client.stream(name.staleTime(.minutes(1))))
    simulation.settle()
    client.setData("mine", for: name)
    simulation.advance(by: .seconds(5))
    #expect(recording.summaries == [.pending(), .success("mine"), .success("mine")])
    expectEqual(recording.values.map(\.isRestoring), [true, true, false])
    recording.cancel()
    client.shutDown()
  }

  @Test("T90: a query alone is persisted, and restored at its first use")
  func ofOneQuery() {
    let fetch = ScriptedFetch<String>(.value("fetched", after: .milliseconds(100)))
    let former = QueryClient(simulation: simulation)
    let store = slow { $0.loading = .seconds(1) }
    let name = Query("name", fetch: fetch).persisted(in: store).staleTime(.minutes(1))
    former.setData("unused", for: Query("other", fetch: fetch))
    let first = simulation.record(former.stream(name))
    simulation.advance(by: .seconds(10))
    #expect(first.summaries == [.pending(), .pending(isFetching: true), .success("fetched")])
    first.cancel()
    former.shutDown()
    simulation.settle()
    expectEqual(store.memory.load(.main).records.map(\.key), [#"query/Swift.String["name"]"#])

    let client = QueryClient(simulation: simulation)
    let second = simulation.record(client.stream(name))
    simulation.advance(by: .seconds(10))
    #expect(second.summaries == [.pending(), .success("fetched")])
    expectEqual(fetch.callCount, 1)
    second.cancel()
    client.shutDown()
  }

  @Test("T55: what is persisted is tried once offline, unless an option says otherwise")
  func offlineFirst() {
    let offline = ManualSignal(false)
    let client = QueryClient(simulation: simulation) { [offline] in
      $0.connectivity = Connectivity { offline }
      $0.persistence = Persistence(in: MemoryStore())
    }
    simulation.settle()
    let tried = simulation.record(client.stream(name))
    let waiting = simulation.record(
      client.stream(Query("other", fetch: fetch).networkMode(.online))
    )
    simulation.advance(by: .seconds(1))
    #expect(tried.summaries == [.pending(isFetching: true), .success("fetched")])
    #expect(waiting.summaries == [.pending(.paused)])
    tried.cancel()
    waiting.cancel()
    client.shutDown()
  }

  @Test("data that is too old is not restored; a date in the future counts as now")
  func age() {
    keep()
    simulation.advance(by: .minutes(10))
    let old = client(memory, maxAge: .minutes(10))
    simulation.settle()
    expectNil(old.data(for: name))
    old.shutDown()
    simulation.settle()
    expectEmpty(memory.load(.main).records)
    keep()
    simulation.setWallClock(offset: .hours(-48))
    let client = client(memory, maxAge: .minutes(10))
    simulation.settle()
    expectEqual(client.data(for: name), "kept")
    expect(!client.isStale(name.staleTime(.seconds(1))))
    client.shutDown()
  }

  @Test("K16: what nobody can fetch again is kept at any age, unless a limit is named")
  func withoutFetch() {
    let draft = Query<String>(key: "draft").persisted(in: memory)
    let short = Query<String>(key: "short").persisted(in: memory, maxAge: .hours(1))
    let feed = Query("feed", fetch: fetch).persisted(in: memory)
    let letter = Query("letter", fetch: fetch)
      .persisted(in: memory, maxAge: Persistence.unlimited)
    for hours in [0, 20, 100_000] {
      let client = QueryClient(simulation: simulation)
      _ = client.data(for: draft)
      simulation.settle()
      let shown = [draft, short, feed, letter].map { client.data(for: $0) != nil }
      switch hours {
      case 0:
        expectEqual(shown, [false, false, false, false])
        for query in [draft, short, feed, letter] { client.setData("mine", for: query) }
      case 20: expectEqual(shown, [true, false, true, true])
      default: expectEqual(shown, [true, false, false, true])
      }
      client.shutDown()
      simulation.advance(by: .hours(hours == 0 ? 20 : 100_000))
    }
  }

  @Test(
    "a key alone leaves what another query keeps: without a limit of age, or in another version",
    arguments: ["", "2"]
  )
  func keyAlone(_ version: String) {
    let misuses = Recorded<QueryMisuse>()
    let draft = Query<String>(key: "draft")
      .persisted(in: memory, maxAge: Persistence.unlimited, version: version)
    let former = client(memory)
    former.setData("mine", for: draft)
    former.shutDown()
    simulation.advance(by: .hours(72))
    let client = QueryClient(simulation: simulation) { [memory] in
      $0.persistence = Persistence(in: memory)
      $0.onMisuse = { misuses.append($0) }
    }
    simulation.settle()
    expectNil(client.data(for: draft.key))
    expectNil(client.updateData(for: draft.key) { $0 = ($0 ?? "") + " and more" })
    simulation.advance(by: .seconds(2))
    expectEqual(misuses.values, [.updateOfKeptData(key: AnyQueryKey(draft.key).description)])
    expectEqual(client.data(for: draft), "mine")
    expectEqual(
      client.updateData(for: draft.key) { $0 = ($0 ?? "") + " and more" },
      "mine and more"
    )
    client.shutDown()
  }

  @Test("a key alone leaves what another query keeps when the client ends before its update")
  func keyAloneAtTheEnd() {
    let draft = Query<String>(key: "draft").persisted(in: memory)
    let former = client(memory)
    former.setData("mine", for: draft)
    former.shutDown()
    simulation.advance(by: .hours(72))
    let late = client(slow { $0.loading = .seconds(1) })
    late.updateData(for: draft.key) { $0 = ($0 ?? "") + " and more" }
    late.shutDown()
    simulation.advance(by: .seconds(5))
    let client = client(memory)
    simulation.settle()
    expectEqual(client.data(for: draft), "mine")
    client.shutDown()
  }

  enum NamedUpdate: CaseIterable { case query, defaulted, atTheEnd }

  @Test(
    "an update of a query that fetches is made, although a former release kept its key for ever",
    arguments: NamedUpdate.allCases
  )
  func updateAfterRelease(_ update: NamedUpdate) {
    let misuses = Recorded<QueryMisuse>()
    let former = client(memory, maxAge: Persistence.unlimited)
    former.setData("kept", for: name)
    former.shutDown()
    simulation.advance(by: .hours(48))
    let store: any QueryStore = update == .atTheEnd ? slow { $0.loading = .seconds(1) } : memory
    let client = QueryClient(simulation: simulation) {
      $0.persistence = Persistence(in: store)
      $0.onMisuse = { misuses.append($0) }
    }
    if update != .atTheEnd { simulation.settle() }
    var written: String?
    switch update {
    case .query, .atTheEnd: written = client.updateData(for: name) { $0 = ($0 ?? "none") + "!" }
    case .defaulted: written = client.updateData(for: name.defaulting(to: "none")) { $0 += "!" }
    }
    expectEqual(written, update == .atTheEnd ? nil : "none!")
    client.shutDown()
    simulation.advance(by: .seconds(5))
    expectEmpty(misuses.values)
    let next = self.client(memory)
    simulation.settle()
    expectEqual(next.data(for: name), "none!")
    next.shutDown()
  }

  @Test("an answer from before the launch leaves what was invalidated in an earlier one marked")
  func answerFromBefore() throws {
    let former = client(memory)
    former.setData("kept", for: name)
    simulation.advance(by: .seconds(90))
    former.markInvalidated(.all, refetch: .never)
    former.shutDown()
    simulation.advance(by: .seconds(30))
    let client = client(memory)
    simulation.settle()
    for (age, isMarked) in [(70, true), (0, false)] {
      let query = Query<String>("name") { context in
        context.answer(isOld: .seconds(age))
        return "fetched"
      }
      try expectEqual(simulation.run { try await client.fetch(query) }, "fetched")
      expectEqual(client.diagnostics().map(\.isInvalidated), [isMarked])
    }
    client.shutDown()
  }

  @Test("old versions that nobody uses leave at a later launch, those that may be used stay")
  func purged() {
    let policies: [(String, Duration)] = [
      ("1", .hours(24)), ("2", .hours(24)), ("for ever", .seconds(Int64.max)),
    ]
    for (version, maxAge) in policies {
      let former = QueryClient(simulation: simulation) { [memory] in
        $0.persistence = Persistence(in: memory, maxAge: maxAge, version: version)
      }
      former.setData(version, for: ["name", version])
      former.shutDown()
      simulation.advance(by: .hours(20))
    }
    let client = QueryClient(simulation: simulation) { [memory] in
      $0.persistence = Persistence(in: memory, version: "2")
    }
    simulation.advance(by: .seconds(2))
    // The first is 60 hours old, and 40 by the date of the newest: a lifetime is up to twice the age.
    expectEqual(memory.load(.main).records.map(\.key), ["2", "for ever"].map(record))
    client.setData("3", for: ["name", "new"])
    client.shutDown()
    simulation.settle()
    let next = QueryClient(simulation: simulation) { [memory] in
      $0.persistence = Persistence(in: memory, version: "2")
    }
    simulation.advance(by: .seconds(2))
    expectEqual(memory.load(.main).records.map(\.key), ["for ever", "new"].map(record))
    next.shutDown()
  }

  private func record(_ name: String) -> String { #"query/Swift.String["name","\#(name)"]"# }

  @Test("one launch with the clock ahead does not empty the store")
  func clockAhead() {
    keep()
    simulation.setWallClock(offset: .hours(1_000))
    let ahead = client(memory)
    simulation.advance(by: .seconds(10))
    ahead.shutDown()
    simulation.setWallClock(offset: .zero)
    let client = client(memory)
    simulation.settle()
    expectEqual(client.data(for: name), "kept")
    client.shutDown()
  }

  @Test("a value that does not decode is dropped, told of and fetched")
  func undecodable() {
    keep()
    let record = memory.load(.main).records[0]
    var broken = record
    broken.value.append(contentsOf: Array("}".utf8))
    try? memory.write(StoreBatch(generation: .first, puts: [broken]), to: .main)
    let client = client(memory)
    let events = simulation.record(client.events)
    let recording = simulation.record(client.stream(name))
    simulation.advance(by: .seconds(5))
    #expect(recording.summaries == [.pending(isFetching: true), .success("fetched")])
    let failures = events.values.filter {
      if case .persistenceFailed = $0.kind { true } else { false }
    }
    expectEqual(failures.map(\.key), ["name"])
    recording.cancel()
    client.shutDown()
    simulation.settle()
    expectEqual(memory.load(.main).records.count, 1)
    expect(memory.load(.main).records != [record])
  }

  @Test(
    "a store that can never be read is told of, and the client works without it",
    arguments: [.inUse, .otherVersion, .closed, .superseded(current: .first)] as [QueryStoreError]
  )
  func unreadableStore(_ error: QueryStoreError) {
    keep()
    let store = slow {
      $0.loadError = error
      $0.loading = .seconds(1)
    }
    let client = client(store)
    let events = simulation.record(client.events)
    let recording = simulation.record(client.stream(name))
    simulation.advance(by: .seconds(5))
    #expect(recording.summaries == [.pending(), .pending(isFetching: true), .success("fetched")])
    simulation.run { [client] in
      _ = await #expect(throws: QueryStoreError.self) { try await client.restore() }
      _ = await #expect(throws: QuerySaveError.self) { try await client.save() }
    }
    expectEqual(problems(in: events), ["\(error)"])
    store.change { $0.loadError = nil }
    simulation.advance(by: .hours(1))
    expectEqual(store.loads, 1)
    recording.cancel()
    client.shutDown()
    simulation.settle()
    // What it keeps is as it was.
    let other = self.client(memory)
    simulation.settle()
    expectEqual(other.data(for: name), "kept")
    other.shutDown()
  }

  @Test(
    "a store that cannot be read for now is read again; meanwhile queries go on without it",
    arguments: [.denied, .failed(Broken()), .full] as [QueryStoreError]
  )
  func deniedStore(_ error: QueryStoreError) {
    keep()
    keep("b", "b")
    keep("c", "c")
    let store = slow {
      $0.loadError = error
      $0.loading = .milliseconds(100)
    }
    let client = client(store)
    let events = simulation.record(client.events)
    let fetched = simulation.record(client.stream(name))
    let other = Query(key: "b") { () async throws -> String in throw Broken() }.retry(0)
    let waiting = simulation.record(client.stream(other))
    simulation.advance(by: .milliseconds(500))
    #expect(fetched.summaries == [.pending(), .pending(isFetching: true), .success("fetched")])
    expectEqual(waiting.values.last?.isError, true)
    expect(!client.isRestoring)
    simulation.run { [client] in
      _ = await #expect(throws: QueryStoreError.self) { try await client.restore() }
      _ = await #expect(throws: QuerySaveError.self) { try await client.save() }
    }
    // At once for the caller, which changes nothing about the rest: after 1, 2 and 4 seconds.
    simulation.advance(by: .milliseconds(8_000))
    expectEqual(store.loads, 5)
    expectEmpty(store.batches)
    expectEqual(problems(in: events), Array(repeating: "\(error)", count: 5))

    store.change { $0.loadError = nil }
    simulation.advance(by: .seconds(8))
    expectEqual(store.loads, 6)
    expectEqual(waiting.values.last?.data, "b")
    #expect(fetched.summaries.last == .success("fetched"))
    expectEqual(client.data(for: "c" as QueryKey<String>), "c")
    simulation.run { [client] in
      await #expect(throws: Never.self) { try await client.restore() }
      await #expect(throws: Never.self) { try await client.save() }
    }
    fetched.cancel()
    waiting.cancel()
    client.shutDown()
    simulation.settle()
    expectEqual(values, ["b", "c", "fetched"])
    expectEqual(problems(in: events).count, 5)
  }

  @Test("what was removed and cleared while a store cannot be read is gone when it is read")
  func removedWhileDenied() {
    keep()
    keep("b", "b")
    let store = slow { $0.loadError = .denied }
    let client = client(store)
    simulation.advance(by: .minutes(10))
    // 0, 1, 3, 7, 15, 31 and 63 seconds, then each minute.
    expectEqual(store.loads, 7 + 8)
    client.remove(["b"])
    store.change { $0.loadError = nil }
    simulation.advance(by: .minutes(2))
    expectEqual(values, ["kept"])
    client.shutDown()
  }

  @Test("while a store cannot be read, no update begins with nothing in place of what it keeps")
  func updatedWhileDenied() {
    keep("a", "list")
    let store = slow { $0.loadError = .denied }
    let client = client(store)
    let list = Query<String>(key: "list").defaulting(to: "")
    simulation.advance(by: .milliseconds(500))
    client.updateData(for: list) { $0 += "b" }
    client.updateData(for: "list" as QueryKey<String>) { $0 = ($0 ?? "") + "c" }
    expectEqual(client.data(for: list), "")
    simulation.advance(by: .minutes(10))
    expectEqual(client.data(for: list), "")
    store.change { $0.loadError = nil }
    simulation.advance(by: .minutes(2))
    expectEqual(client.data(for: list), "abc")
    client.updateData(for: list) { $0 += "d" }
    simulation.advance(by: .seconds(2))
    expectEqual(values, ["abcd"])
    client.shutDown()
  }

  @Test("a store that is broken is given up after two minutes, and updates go on without it")
  func brokenStore() {
    keep("a", "list")
    let store = slow { $0.loadError = .failed(Broken()) }
    let client = client(store)
    simulation.advance(by: .minutes(10))
    expectEqual(store.loads, 8)
    client.updateData(for: "list" as QueryKey<String>) { $0 = ($0 ?? "") + "b" }
    expectEqual(client.data(for: "list" as QueryKey<String>), "b")
    simulation.run { [client] in
      _ = await #expect(throws: QuerySaveError.self) { try await client.save() }
    }
    client.shutDown()
    simulation.settle()
    expectEqual(values, ["a"])
  }

  @Test("a client that ends while its store cannot be read tries once more, and then gives up")
  func endedWhileDenied() {
    keep()
    for isReadable in [false, true] {
      let store = slow { $0.loadError = .denied }
      let client = client(store)
      simulation.advance(by: .milliseconds(1_500))
      client.setData("mine", for: name)
      client.setData("new", for: "new")
      if isReadable { store.change { $0.loadError = nil } }
      client.shutDown()
      simulation.settle()
      expectEqual(store.loads, 3)
      expectEqual(values, isReadable ? ["mine", "new"] : ["kept"])
      simulation.advance(by: .minutes(10))
      expectEqual(store.loads, 3)
    }
  }

  @Test("restore reads a store at once that could not be read, and says what came of it")
  func readAgainAtOnce() throws {
    keep()
    let store = slow {
      $0.loadError = .denied
      $0.loading = .milliseconds(100)
    }
    let client = client(store)
    // Then it is read again each minute.
    simulation.advance(by: .minutes(10))
    let loads = store.loads
    let (first, cancelled) = (restoring(client), restoring(client))
    simulation.settle()
    expectEqual(store.loads, loads + 1)
    cancelled.cancel()
    simulation.run {
      _ = await #expect(throws: CancellationError.self) { try await cancelled.value }
    }
    simulation.advance(by: .milliseconds(200))
    simulation.run {
      _ = await #expect(throws: QueryStoreError.self) { try await first.value }
    }
    expectEqual(store.loads, loads + 1)

    store.change { $0.loadError = nil }
    let second = restoring(client)
    simulation.advance(by: .milliseconds(200))
    expectEqual(store.loads, loads + 2)
    expectEqual(client.data(for: name), "kept")
    try simulation.run { try await second.value }
    client.shutDown()
    simulation.settle()
    expectEqual(store.loads, loads + 2)
  }

  private func restoring(_ client: QueryClient) -> Task<Void, any Error> {
    simulation.task { try await client.restore() }
  }

  @Test("callers who ask a broken store to be read again do not use up its tries")
  func impatientCallers() throws {
    keep()
    let store = slow { $0.loadError = .failed(Broken()) }
    let client = client(store)
    simulation.settle()
    for _ in 0..<20 {
      simulation.run {
        _ = await #expect(throws: QueryStoreError.self) { try await client.restore() }
      }
    }
    expectEqual(store.loads, 21)
    store.change { $0.loadError = nil }
    simulation.advance(by: .seconds(2))
    expectEqual(client.data(for: name), "kept")
    client.shutDown()
  }

  @Test(
    "an app that becomes active reads at once what could not be read, such as before the unlock"
  )
  func readWhenActive() {
    keep()
    let store = slow { $0.loadError = .denied }
    let active = ManualSignal(false)
    let client = QueryClient(simulation: simulation) {
      $0.persistence = Persistence(in: store)
      $0.activity = AppActivity { active }
    }
    simulation.advance(by: .minutes(10))
    let loads = store.loads
    store.change { $0.loadError = nil }
    active.send(true)
    simulation.settle()
    expectEqual(store.loads, loads + 1)
    expectEqual(client.data(for: name), "kept")
    client.shutDown()
  }

  @Test("a client that ends while a read is under way that fails tries once more")
  func endedWhileReading() {
    keep()
    let store = slow {
      $0.loadError = .failed(Broken())
      $0.loading = .milliseconds(100)
    }
    let client = client(store)
    // The second read is under way, and has found that it fails.
    simulation.advance(by: .milliseconds(1_150))
    client.setData("mine", for: name)
    store.change { $0.loadError = nil }
    client.shutDown()
    simulation.advance(by: .minutes(10))
    expectEqual(store.loads, 3)
    expectEqual(values, ["mine"])
  }

  private struct Broken: Error {}

  /// What is kept, sorted.
  private var values: [String] {
    memory.load(.main).records.map { String(decoding: $0.value.dropFirst(13), as: UTF8.self) }
      .map { String($0.dropLast()) }.sorted()
  }

  private func problems(in events: ResultRecording<QueryEvent>) -> [String] {
    events.values.compactMap {
      if case .persistenceFailed(let error) = $0.kind { "\(error)" } else { nil }
    }
  }

  @Test("what was removed is not restored, in this launch or the next, whether it was used or not")
  func removed() {
    keep("a", ["list", "a"])
    keep("b", ["list", "b"])
    keep("c", "other")
    let client = client(memory)
    simulation.settle()
    let (a, b): (QueryKey<String>, QueryKey<String>) = (["list", "a"], ["list", "b"])
    expectEqual(client.data(for: a), "a")
    client.remove(["list"])
    expectNil(client.data(for: a))
    expectNil(client.data(for: b))
    expectEqual(client.data(for: "other" as QueryKey<String>), "c")
    client.shutDown()
    simulation.settle()
    expectEqual(memory.load(.main).records.map(\.key), [#"query/Swift.String["other"]"#])
  }

  @Test("clear forgets what the store keeps")
  func cleared() {
    keep("a", "a")
    keep("b", "b")
    let client = client(memory)
    simulation.settle()
    expectEqual(client.data(for: "a" as QueryKey<String>), "a")
    client.clear()
    expectNil(client.data(for: "a" as QueryKey<String>))
    expectNil(client.data(for: "b" as QueryKey<String>))
    simulation.advance(by: .seconds(2))
    expectEmpty(memory.load(.main).records)
    client.shutDown()
  }

  @Test("what was cleared while the store is read is gone")
  func clearedWhileRestoring() {
    keep()
    let client = client(slow { $0.loading = .seconds(1) })
    simulation.settle()
    client.clear()
    simulation.advance(by: .seconds(5))
    expectNil(client.data(for: name))
    expectEmpty(memory.load(.main).records)
    client.shutDown()
  }

  @Test("an invalidated prefix is stale when it is restored, whether it was used or not")
  func invalidated() {
    keep("a", ["list", "a"])
    keep("b", ["list", "b"])
    let client = client(memory)
    simulation.settle()
    let a = Query("list", "a", fetch: fetch).staleTime(.hours(1))
    let b = Query("list", "b", fetch: fetch).staleTime(.hours(1))
    expectEqual(client.data(for: a), "a")
    simulation.run { [client] in await client.invalidate(["list"]) }
    client.shutDown()
    simulation.settle()
    let next = self.client(memory)
    simulation.settle()
    for query in [a, b] {
      let recording = simulation.record(next.stream(query))
      simulation.settle()
      expectEqual(recording.values.first?.isStale, true)
      expectEqual(recording.values.first?.isFetching, true)
      recording.cancel()
    }
    next.shutDown()
  }

  @Test("an entry whose retention has passed is restored when it is used again")
  func expired() {
    let client = client(memory)
    simulation.settle()
    client.setData("mine", for: name)
    simulation.advance(by: .minutes(10))
    expectEmpty(client.diagnostics())
    expectEqual(client.data(for: name), "mine")
    client.shutDown()
  }

  @Test("an update of a key that was not used yet starts from what was kept")
  func updated() {
    keep()
    let client = client(memory)
    simulation.settle()
    client.updateData(for: name) { $0 = ($0 ?? "") + "!" }
    expectEqual(client.data(for: name), "kept!")
    client.shutDown()
  }

  @Test("kept data comes before the query's own initial data, which comes before nothing")
  func initialData() {
    keep()
    let client = client(memory)
    simulation.settle()
    expectEqual(client.result(for: name.initialData("initial")).data, "kept")
    expectEqual(
      client.result(for: Query("other", fetch: fetch).initialData("initial")).data,
      "initial"
    )
    client.shutDown()
  }

  @Test("the first frame after the store was read is the stream's first element")
  func firstFrame() {
    keep()
    let client = client(memory)
    expect(client.result(for: name).isRestoring)
    expectEqual(client.result(for: name).fetchStatus, .idle)
    simulation.settle()
    let result = client.result(for: name)
    expectEqual(result.data, "kept")
    expect(result.isFetching)
    expect(!result.isRestoring)
    client.shutDown()
  }

  @Test("queries wait ten seconds for a store, then go on; what it still brings serves others")
  func slowStore() {
    keep()
    keep("b", "b")
    let client = client(slow { $0.loading = .seconds(60) })
    let events = simulation.record(client.events)
    let recording = simulation.record(client.stream(name))
    let caller = simulation.task { [client, name] in try await client.fetch(name) }
    simulation.advance(by: .milliseconds(9_999))
    #expect(recording.summaries == [.pending()])
    simulation.advance(by: .seconds(1))
    #expect(recording.summaries == [.pending(), .pending(isFetching: true), .success("fetched")])
    expect(!client.isRestoring)
    expectEqual(
      events.values.count { if case .persistenceFailed = $0.kind { true } else { false } },
      1
    )
    simulation.advance(by: .seconds(60))
    expectEqual(client.data(for: "b" as QueryKey<String>), "b")
    expectEqual(client.data(for: name), "fetched")
    simulation.advance(by: .seconds(2))
    _ = caller
    recording.cancel()
    client.shutDown()
    simulation.settle()
    expectEqual(memory.load(.main).records.count, 2)
  }

  @Test("restore tells that a store takes too long, and does not wait for ever")
  func restoreOfASlowStore() throws {
    keep()
    let client = client(slow { $0.loading = .seconds(60) })
    let begin = simulation.now
    for _ in 1...2 {
      simulation.run { [client] in
        _ = await #expect(throws: QueryStoreError.self) { try await client.restore() }
      }
    }
    expectEqual(simulation.now, begin + .seconds(10))
    expectNil(client.data(for: name))
    simulation.advance(by: .seconds(60))
    try simulation.run { [client] in try await client.restore() }
    expectEqual(client.data(for: name), "kept")
    client.shutDown()
  }

  @Test("nor does it wait for ever for a store that fails at first, and then says nothing")
  func restoreOfASilentStore() throws {
    keep()
    let store = slow { $0.loadError = .denied }
    let client = client(store)
    simulation.settle()
    store.change {
      $0.loadError = nil
      $0.loading = .seconds(100)
    }
    simulation.advance(by: .seconds(2))
    expectEqual(store.loads, 2)
    let begin = simulation.now
    simulation.run { [client] in
      _ = await #expect(throws: QueryStoreError.self) { try await client.restore() }
    }
    #expect(simulation.now <= begin + .seconds(10))
    simulation.advance(by: .seconds(100))
    try simulation.run { [client] in try await client.restore() }
    expectEqual(client.data(for: name), "kept")
    client.shutDown()
  }

  @Test("an explicit refetch and the next page wait until the store is read")
  func explicitly() throws {
    keep()
    let client = client(slow { $0.loading = .seconds(1) })
    let observer = client.observer(of: name.staleTime(.hours(1)))
    let refetch = simulation.task { try await observer.refetch() }
    simulation.advance(by: .milliseconds(900))
    expectEqual(fetch.callCount, 0)
    simulation.advance(by: .seconds(1))
    expectEqual(fetch.callCount, 1)
    try expectEqual(simulation.run { try await refetch.value }.data, "fetched")
    client.shutDown()
  }

  @Test("an option that depends on data is asked about what was restored")
  func dynamic() {
    keep()
    let client = client(slow { $0.loading = .seconds(1) })
    let enabled = name.enabled { (data: String?) in data == nil }
    let recording = simulation.record(client.stream(enabled))
    simulation.advance(by: .seconds(5))
    #expect(recording.summaries == [.pending(), .success("kept")])
    expectEqual(recording.values.map(\.isEnabled), [false, false])
    expectEqual(fetch.callCount, 0)
    recording.cancel()
    client.shutDown()
  }

  @Test("a policy of subscriptions applies to what was restored")
  func subscribePolicies() {
    keep()
    let client = client(slow { $0.loading = .seconds(1) })
    var (always, never) = (ObserverOptions(), ObserverOptions())
    always.refetchOnSubscribe = .always
    never.refetchOnSubscribe = .never
    let quiet = simulation.record(client.stream(name, options: never))
    simulation.advance(by: .seconds(5))
    #expect(quiet.summaries == [.pending(), .success("kept")])
    let next = self.client(slow { $0.loading = .seconds(1) })
    let eager = simulation.record(next.stream(name.staleTime(.hours(1)), options: always))
    simulation.advance(by: .seconds(5))
    #expect(
      eager.summaries == [.pending(), .success("kept", isFetching: true), .success("fetched")]
    )
    quiet.cancel()
    eager.cancel()
    client.shutDown()
    next.shutDown()
  }

  @Test("a query that is not persisted fetches while the store is read")
  func notPersisted() {
    keep()
    let client = client(slow { $0.loading = .seconds(1) })
    let recording = simulation.record(client.stream(name.notPersisted()))
    simulation.advance(by: .milliseconds(500))
    #expect(recording.summaries == [.pending(isFetching: true), .success("fetched")])
    recording.cancel()
    client.shutDown()
  }
}
