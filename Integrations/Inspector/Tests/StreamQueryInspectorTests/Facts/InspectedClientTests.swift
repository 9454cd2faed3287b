import Foundation
@_spi(Adapters) import StreamQuery
import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

@testable import StreamQueryInspector

/// What a page sees of a client, and does to it.
struct InspectedClientTests {
  let simulation = Simulation(seed: 34)

  private struct User: Codable, Sendable, Equatable {
    var name: String
  }

  private struct Opaque: Sendable {}

  private struct Refused: Error {}

  private func client(
    _ configure: @Sendable (inout QueryClient.Configuration) -> Void = { _ in }
  ) -> QueryClient {
    QueryClient(simulation: simulation) {
      $0.record = .last(100)
      configure(&$0)
    }
  }

  private struct Detail: Decodable {
    struct Option: Decodable, Equatable {
      var name, value, from: String
    }

    struct Observers: Decodable, Equatable {
      var text: String
      var count: Int
    }

    var key, type: String
    var dataText: String?
    var baseText: String?
    var size: Int?
    var options: [Option]
    var observers: [Observers]
  }

  private func detail(_ json: Data?) throws -> Detail {
    try InspectorJSON.decoder.decode(Detail.self, from: #require(json))
  }

  private func text(_ json: Data?) -> String? {
    json.map { String(decoding: $0, as: UTF8.self) }
  }

  private func perform(
    _ body: String,
    on client: QueryClient
  ) -> Result<String, ActionRefusal> {
    defer { withExtendedLifetime(client) {} }
    let subject = InspectedClient(client, name: "test", allows: .actions)
    return Result { () throws(ActionRefusal) in
      let data = Data(body.utf8)
      return try subject.perform(InspectorAction(body: data), data)
    }
  }

  /// The number of the key in the record.
  private func number(of key: String, in client: QueryClient) throws -> Int {
    try #require(client.record.keys.first { $0.text == #"["\#(key)"]"# }).number
  }

  @Test func theFactsSayWhatNoRecordHas() throws {
    let client = client { $0.maxConcurrentFetches = 4 }
    let recording = simulation.record(client.stream(Query("n") { 1 }))
    simulation.settle()
    let subject = InspectedClient(client, name: "Shop", allows: [.actions, .values])
    #expect(
      text(subject.facts) == #"""
        {"allows":{"actions":true,"values":true},"client":"Shop","conditions":{"delay":0,"failing":0,"offline":false},\#
        "limits":{"cost":null,"entries":null,"fetches":4,"running":0,"waiting":0},\#
        "lookups":{"failures":0,"hits":0,"joined":0,"misses":1,"staleHits":0},"outbox":[],"stores":[]}
        """#
    )
    recording.cancel()
  }

  @Test func aClientWithoutLimitsHasNoneInItsFacts() {
    let client = client()
    let facts = text(InspectedClient(client, name: "Shop", allows: []).facts)
    #expect(facts?.contains("limits") == false)
    #expect(InspectedClient(nil, name: "Shop", allows: []).facts == nil)
    withExtendedLifetime(client) {}
  }

  @Test func aLimitOfCostSaysHowMuchIsUsed() {
    let client = client { $0.limit = CacheLimit(maxEntries: 10, maxCost: 100) { _ in 7 } }
    client.setData(1, for: QueryKey<Int>("n"))
    simulation.settle()
    let facts = text(InspectedClient(client, name: "Shop", allows: []).facts)
    #expect(
      facts?.contains(
        #""limits":{"cost":100,"entries":10,"fetches":null,"running":0,"usedCost":7,"waiting":0}"#
      ) == true
    )
  }

  private struct Places: Decodable {
    struct Store: Decodable, Equatable {
      var name, partition, keeps, state: String
      var records, pending: Int
      var error: String?
      var writeError: String?
    }

    struct Account: Decodable, Equatable {
      var name: String
      var isCurrent: Bool
      var state: String
      var entries: Int?
    }

    struct Item: Decodable, Equatable {
      var state: String
    }

    var stores: [Store]
    var accounts: [Account]?
    var outbox: [Item]
  }

  private func places(of client: QueryClient) throws -> Places {
    let subject = InspectedClient(client, name: "Shop", allows: [])
    return try InspectorJSON.decoder.decode(Places.self, from: #require(subject.facts))
  }

  @Test func storesAreFoundByThemselves() throws {
    let store = MemoryStore()
    let send = Mutation<Int, Void>("send") { (_: Int) in }.durable()
    let online = ManualSignal(false)
    let client = client {
      $0.connectivity = Connectivity { online }
      $0.persistence = Persistence(in: store)
      $0.outbox = OutboxConfiguration(in: store, partition: "sent", mutations: [send])
    }
    simulation.settle()
    client.setData(1, for: QueryKey<Int>("n"))
    let sending = simulation.task { try await client.mutate(send, with: 7) }
    simulation.settle()
    let queries = Places.Store(
      name: "MemoryStore",
      partition: "main",
      keeps: "queries",
      state: "open",
      records: 0,
      pending: 1
    )
    let runs = Places.Store(
      name: "MemoryStore",
      partition: "sent",
      keeps: "outbox",
      state: "open",
      records: 1,
      pending: 0
    )
    #expect(try places(of: client).stores == [queries, runs])
    simulation.advance(by: .seconds(2))
    let written = try places(of: client).stores
    #expect(written.map(\.records) == [1, 1] && written.map(\.pending) == [0, 0])
    #expect(try places(of: client).outbox.map(\.state) == ["waiting"])
    #expect(try places(of: client).accounts == nil)
    sending.cancel()
  }

  @Test func storesOfOneNameAreToldApart() throws {
    let client = client()
    let stores: [any QueryStore] = [MemoryStore(), LockedStore(), MemoryStore()]
    let recordings = stores.enumerated().flatMap { number, store in
      ["main", "more"].map { partition in
        let query = Query("n", number, partition) { 1 }
          .persisted(in: store, partition: StorePartition(partition))
        return simulation.record(client.stream(query))
      }
    }
    simulation.settle()
    #expect(
      try places(of: client).stores.map(\.name) == [
        "MemoryStore #1", "MemoryStore #1", "LockedStore", "LockedStore", "MemoryStore #2",
        "MemoryStore #2",
      ]
    )
    for recording in recordings { recording.cancel() }
    client.shutDown()
  }

  @Test func aStoreThatCannotBeReadSaysWhy() throws {
    let client = client { $0.persistence = Persistence(in: LockedStore()) }
    simulation.settle()
    let store = try #require(try places(of: client).stores.first)
    #expect(store.name == "LockedStore" && store.state == "failing")
    #expect(store.error == "\(QueryStoreError.denied)")
    client.shutDown()
  }

  @Test func aStoreThatCannotBeWrittenSaysWhyAndTheRecordSaysWhen() throws {
    let client = client { $0.persistence = Persistence(in: FullStore()) }
    simulation.settle()
    client.setData(1, for: QueryKey<Int>("n"))
    simulation.advance(by: .seconds(2))
    let store = try #require(try places(of: client).stores.first)
    #expect(store.name == "FullStore" && store.state == "open" && store.error == nil)
    #expect(store.writeError == "\(QueryStoreError.full)")
    let record = client.record
    let failures = record.events.compactMap { event -> String? in
      guard case .persistenceFailed(_, let store, let error) = event.kind else { return nil }
      return "\(store) \(record.errors.first { $0.number == error }?.text ?? "")"
    }
    #expect(failures == ["\(store.name) \(store.writeError ?? "")"])
    client.shutDown()
  }

  @Test func theAccountsBesideThatOfTheClientAreFoundByThemselves() throws {
    let accounts = QueryAccounts(in: MemoryStore(), simulation: simulation) { _, configuration in
      configuration.record = .last(100)
    }
    let clients = try simulation.run {
      try await [accounts.open("ada").client, accounts.open("alan").client]
    }
    clients[0].setData(1, for: QueryKey<Int>("n"))
    #expect(
      try places(of: clients[1]).accounts == [
        Places.Account(name: "ada", isCurrent: false, state: "open", entries: 1),
        Places.Account(name: "alan", isCurrent: true, state: "open", entries: 0),
      ]
    )
  }

  /// A store whose disk is full.
  private final class FullStore: QueryStore {
    func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents {
      StoreContents(generation: .first)
    }

    func write(_ batch: StoreBatch, to partition: StorePartition) async throws(QueryStoreError) {
      throw .full
    }

    func wipe(_ partition: StorePartition) async throws(QueryStoreError) -> StoreGeneration {
      .first
    }
  }

  /// A store whose device is locked.
  private final class LockedStore: QueryStore {
    func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents {
      throw .denied
    }

    func write(_ batch: StoreBatch, to partition: StorePartition) async throws(QueryStoreError) {
      throw .denied
    }

    func wipe(_ partition: StorePartition) async throws(QueryStoreError) -> StoreGeneration {
      throw .denied
    }
  }

  @Test func aDetailHasOptionsAndObserversAndDataIfItMayBeSeen() throws {
    let client = client()
    let query = Query("n") { User(name: "Ada") }.staleTime(.minutes(1))
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    let number = try number(of: "n", in: client)
    let seen = InspectedClient(client, name: "test", allows: .values)
    let detail = try detail(seen.detail(ofKey: number))
    #expect(detail.key == #"["n"]"# && detail.type.hasSuffix("User"))
    #expect(detail.dataText == #"{"name":"Ada"}"# && detail.size == 14)
    #expect(detail.observers == [Detail.Observers(text: "enabled, stale after 1 min", count: 1)])
    #expect(detail.options.first == Detail.Option(name: "staleTime", value: "1 min", from: "query"))
    let unseen = InspectedClient(client, name: "test", allows: .actions)
    let hidden = text(unseen.detail(ofKey: number))
    #expect(hidden?.contains(#""dataText":null"#) == true)
    #expect(hidden?.contains(#""size":null"#) == true)
    #expect(unseen.detail(ofKey: 99) == nil && unseen.detail(ofKey: -1) == nil)
    recording.cancel()
  }

  @Test func dataThatIsSentBackAsItCameIsTheSame() throws {
    let client = client()
    let key = QueryKey<[Int]>("n")
    let data = [9_007_199_254_740_993, .max, .min, 0]
    client.setData(data, for: key)
    let number = try number(of: "n", in: client)
    let subject = InspectedClient(client, name: "test", allows: [.values, .actions])
    struct Answer: Decodable {
      var dataText: String
    }
    let json = try #require(subject.detail(ofKey: number))
    let text = try InspectorJSON.decoder.decode(Answer.self, from: json).dataText
    #expect(text == "[9007199254740993,9223372036854775807,-9223372036854775808,0]")
    client.setData([], for: key)
    struct Edit: Encodable {
      var `do` = "setData"
      var key: Int
      var dataText: String
    }
    let edit = try InspectorJSON.encoder.encode(Edit(key: number, dataText: text))
    #expect(try subject.perform(InspectorAction(body: edit), edit) == #"Wrote ["n"]."#)
    #expect(client.data(for: key) == data)
  }

  @Test func whatIsEditedIsTheDataWithoutTheChangesOfMutations() throws {
    let client = client()
    let clock = client.clock
    let key = QueryKey<[String]>("list")
    client.setData(["a"], for: key)
    let number = try number(of: "list", in: client)
    let subject = InspectedClient(client, name: "test", allows: [.values, .actions])
    #expect(try detail(subject.detail(ofKey: number)).baseText == nil)
    let add = Mutation<String, Void>("add") { (_: String) in
      try await clock.sleep(for: .seconds(1))
      throw Refused()
    }
    .optimistic { input, changes in changes.update(key) { $0?.append(input) } }
    let adding = simulation.task { try await client.mutate(add, with: "b") }
    simulation.settle()
    let shown = try detail(subject.detail(ofKey: number))
    #expect(shown.dataText == #"["a","b"]"# && shown.baseText == #"["a"]"#)
    // If the text that is shown were sent back, "b" would stay after the mutation has failed.
    let edit = #"{"do":"setData","key":\#(number),"dataText":"[\"a\",\"c\"]"}"#
    #expect(perform(edit, on: client) == .success(#"Wrote ["list"]."#))
    #expect(client.data(for: key) == ["a", "c", "b"])
    simulation.advance(by: .seconds(2))
    #expect(client.data(for: key) == ["a", "c"])
    #expect(try detail(subject.detail(ofKey: number)).baseText == nil)
    adding.cancel()
  }

  @Test func dataThatIsLargeOrNotEncodableIsNotShown() throws {
    let client = client()
    client.setData(Opaque(), for: QueryKey<Opaque>("opaque"))
    client.setData(
      String(repeating: "a", count: EntryReport.dataLimit),
      for: QueryKey<String>("large")
    )
    let subject = InspectedClient(client, name: "test", allows: .values)
    let opaque = try text(subject.detail(ofKey: number(of: "opaque", in: client)))
    #expect(opaque?.contains(#""dataText":null"#) == true)
    #expect(opaque?.contains(#""size":null"#) == true)
    let large = try detail(subject.detail(ofKey: number(of: "large", in: client)))
    #expect(large.dataText == nil && large.size == EntryReport.dataLimit + 2)
  }

  @Test func eachActionDoesWhatItSays() throws {
    let client = client()
    let fetch = ScriptedFetch<Int>(.value(1), .value(2), .value(3), .value(4), .value(5))
    let recording = simulation.record(
      client.stream(Query("n", fetch: fetch).retry(0).staleTime(.minutes(1)))
    )
    simulation.settle()
    let key = try number(of: "n", in: client)
    func done(_ name: String) -> String? {
      defer { simulation.settle() }
      return try? perform(#"{"do":"\#(name)","key":\#(key)}"#, on: client).get()
    }
    #expect(done("invalidate") == #"Invalidated ["n"]."#)
    #expect(recording.summaries.last == .success(2))
    #expect(done("setStale") == #"Made ["n"] stale."#)
    #expect(fetch.calls.count == 2 && client.isStale(QueryKey<Int>("n")))
    #expect(done("refetch") == #"Asked for a refetch of ["n"]."#)
    #expect(recording.summaries.last == .success(3))
    #expect(done("failNext") == #"The next fetch of ["n"] fails, with all of its attempts."#)
    _ = done("clearFailNext")
    _ = done("refetch")
    #expect(recording.summaries.last == .success(4))
    _ = done("failNext")
    _ = done("refetch")
    #expect(recording.values.last?.error != nil && fetch.calls.count == 4)
    _ = done("reset")
    #expect(recording.summaries.last == .success(5))
    _ = done("remove")
    #expect(recording.summaries.last == .pending())
    recording.cancel()
  }

  @Test func dataThatSomebodyHasTypedIsWritten() throws {
    let client = client()
    client.setData(User(name: "Ada"), for: QueryKey<User>("user"))
    client.setData(Opaque(), for: QueryKey<Opaque>("opaque"))
    let user = try number(of: "user", in: client)
    let opaque = try number(of: "opaque", in: client)
    let body = #"{"do":"setData","key":\#(user),"dataText":"{\"name\":\"Alan\"}"}"#
    #expect(perform(body, on: client) == .success(#"Wrote ["user"]."#))
    #expect(client.data(for: QueryKey<User>("user")) == User(name: "Alan"))
    let wrong = perform(#"{"do":"setData","key":\#(user),"dataText":"{\"name\":7}"}"#, on: client)
    #expect(throws: ActionRefusal.self) { try wrong.get() }
    #expect(client.data(for: QueryKey<User>("user")) == User(name: "Alan"))
    guard
      case .failure(let refusal) = perform(
        #"{"do":"setData","key":\#(opaque),"dataText":"1"}"#,
        on: client
      )
    else {
      Issue.record("it was written")
      return
    }
    #expect(refusal.status == 422 && refusal.text.contains("is not Decodable"))
  }

  @Test func aRefetchThatWouldFetchNothingSaysWhy() throws {
    let client = client()
    client.setData(1, for: QueryKey<Int>("written"))
    let recordings = [
      simulation.record(client.stream(Query("static") { 1 }.staleTime(.static))),
      simulation.record(
        client.stream(Query("off") { 1 }, options: ObserverOptions(enabled: false))
      ),
      simulation.record(
        client.stream(Query("unused") { 1 }, options: ObserverOptions(enabled: false))
      ),
    ]
    simulation.settle()
    recordings[2].cancel()
    simulation.settle()
    let keys = ["written", "static", "off", "unused"]
    let said = try keys.map { key in
      try perform(#"{"do":"refetch","key":\#(number(of: key, in: client))}"#, on: client)
    }
    #expect(
      said
        == [
          #"no query of ["written"] has a fetch closure."#,
          #"an observer of ["static"] treats its data as static."#,
          #"all observers of ["off"] are disabled."#,
          #"nobody observes ["unused"], and it never had a result."#,
        ]
        .map { .failure(ActionRefusal(409, "Nothing is fetched: \($0)")) }
    )
    #expect(!client.record.events.contains { $0.isBulk })
    for recording in recordings { recording.cancel() }
  }

  @Test func theNetworkIsTakenAwayAndGivenBack() {
    let client = client()
    #expect(
      perform(#"{"do":"offline"}"#, on: client)
        == .success("The client believes that it is offline.")
    )
    let recording = simulation.record(client.stream(Query("n") { 1 }))
    simulation.settle()
    #expect(recording.summaries == [.pending(.paused)])
    #expect(
      perform(#"{"do":"delay","seconds":2}"#, on: client)
        == .success("Each attempt takes 2.0 s longer.")
    )
    _ = perform(#"{"do":"online"}"#, on: client)
    simulation.advance(by: .milliseconds(1_999))
    #expect(recording.summaries.last == .pending(isFetching: true))
    simulation.advance(by: .milliseconds(1))
    #expect(recording.summaries.last == .success(1))
    recording.cancel()
  }

  /// A client as a page sees it, with what it logs.
  private func logged(_ client: QueryClient) -> (InspectedClient, () -> [String]) {
    let lines = Log()
    let subject = InspectedClient(client, name: "test", allows: .actions) { line in
      lines.lines.withLock { $0.append(line) }
    }
    return (subject, { lines.lines.withLock { $0 } })
  }

  private final class Log: Sendable {
    let lines = Mutex<[String]>([])
  }

  private func perform(_ bodies: String..., in subject: InspectedClient) throws {
    for body in bodies {
      _ = try subject.perform(InspectorAction(body: Data(body.utf8)), Data())
    }
  }

  @Test func conditionsEndWhenThereIsNoPageForTenSeconds() throws {
    let client = client()
    let (subject, lines) = logged(client)
    var pages = (0..<2).map { _ in InspectedClient.Page(of: subject) }
    try perform(#"{"do":"offline"}"#, #"{"do":"delay","seconds":3}"#, in: subject)
    pages.removeLast()
    simulation.advance(by: .seconds(40))
    // A page that is loaded anew is away for a moment.
    pages.removeLast()
    simulation.advance(by: .milliseconds(9_999))
    pages.append(InspectedClient.Page(of: subject))
    simulation.advance(by: .seconds(30))
    #expect(client.conditions?.isOffline == true)
    pages.removeLast()
    simulation.advance(by: .milliseconds(10_000))
    #expect(client.conditions?.isEmpty == true)
    let line = "no page is open, so these conditions have ended: offline"
    #expect(lines() == [line + ", attempts 3.0 s slower"])
    // Somebody without a stream.
    try perform(#"{"do":"offline"}"#, in: subject)
    simulation.advance(by: .milliseconds(9_999))
    #expect(client.conditions?.isEmpty == false)
    simulation.advance(by: .milliseconds(1))
    #expect(client.conditions?.isEmpty == true && lines().last == line)
    #expect(simulation.isIdle)
  }

  @Test func conditionsEndWhenPagesAreOpenButNoneAnswersForAMinute() throws {
    let client = client()
    client.setData(1, for: QueryKey<Int>("n"))
    let key = try number(of: "n", in: client)
    let (subject, lines) = logged(client)
    let pages = (0..<2).map { _ in InspectedClient.Page(of: subject) }
    try perform(#"{"do":"failNext","key":\#(key)}"#, in: subject)
    for _ in 0..<20 {
      simulation.advance(by: .seconds(59))
      try perform(#"{"do":"stay"}"#, in: subject)
    }
    #expect(client.conditions?.failingCount == 1 && lines() == [])
    simulation.advance(by: .milliseconds(59_999))
    #expect(client.conditions?.isEmpty == false)
    simulation.advance(by: .milliseconds(1))
    #expect(client.conditions?.isEmpty == true)
    #expect(lines() == ["no page answers, so these conditions have ended: 1 fetch to fail"])
    simulation.advance(by: .minutes(5))
    #expect(simulation.isIdle && lines().count == 1)
    withExtendedLifetime(pages) {}
  }

  @Test func conditionsThatAPageEndsAreNotLogged() throws {
    let client = client()
    let (subject, lines) = logged(client)
    try perform(#"{"do":"offline"}"#, #"{"do":"end"}"#, in: subject)
    simulation.advance(by: .minutes(5))
    #expect(simulation.isIdle && lines() == [])
  }

  @Test func allConditionsEndAtOnceAlsoThatOfAnEntryThatIsGone() throws {
    let client = client()
    client.setData(1, for: QueryKey<Int>("n"))
    let key = try #require(client.record.keys.first).number
    for body in [
      #"{"do":"offline"}"#, #"{"do":"delay","seconds":3}"#, #"{"do":"failNext","key":\#(key)}"#,
      #"{"do":"remove","key":\#(key)}"#,
    ] {
      _ = try perform(body, on: client).get()
    }
    #expect(client.conditions?.failingCount == 1)
    #expect(throws: ActionRefusal(404, "There is no entry of this key any more.")) {
      try perform(#"{"do":"clearFailNext","key":\#(key)}"#, on: client).get()
    }
    let done = perform(#"{"do":"end"}"#, on: client)
    #expect(done == .success("There are no conditions any more."))
    #expect(client.conditions?.isEmpty == true)
  }

  @Test func aPageThatHasSetNoConditionsLeavesNoWait() {
    let client = client()
    let subject = InspectedClient(client, name: "test", allows: .actions)
    _ = InspectedClient.Page(of: subject)
    #expect(simulation.isIdle)
    withExtendedLifetime(client) {}
  }

  @Test func anUnknownKeyAndAClientThatIsGoneAreRefused() {
    let unknown = perform(#"{"do":"invalidate","key":99}"#, on: client())
    #expect(unknown == .failure(ActionRefusal(404, "There is no entry of this key any more.")))
    let gone = InspectedClient(nil, name: "test", allows: .actions)
    #expect(throws: ActionRefusal(410, "The client has ended.")) {
      try gone.perform(.network(isOffline: true), Data())
    }
  }
}

extension QueryRecord.Event {
  fileprivate var isBulk: Bool {
    if case .bulk = kind { true } else { false }
  }
}
