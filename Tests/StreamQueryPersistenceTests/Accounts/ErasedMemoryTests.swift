#if os(Linux) && canImport(Glibc)
import Foundation
import Testing

import StreamQuery
import StreamQueryPersistence

/// Plants a text in everything that an account has, ends the account, and searches every byte.
///
/// In a process of its own, see ``MemorySearch/environment``.
struct ErasedMemoryTests {
  struct User: Codable, Sendable {
    var name: String
  }

  struct Refused: Error {
    var text: String
  }

  /// What outlives the account in the hands of its users, apart from their own queries and keys.
  struct Kept {
    var account: QueryAccount
    var events: AsyncStream<QueryEvent>
    var results: AsyncStream<QueryResult<User>>
    var handle: MutationObserver<String, String>
    var items: AsyncStream<OutboxItems>
  }

  /// A text with all bits turned; the literal has every second byte of it.
  static let turned: [UInt8] = "ti snbd leSbsns".utf8.flatMap { [~$0, ~($0 ^ 3), ~$0] }

  @inline(never)
  static func text() -> String { String(decoding: turned.map { ~$0 }, as: UTF8.self) }

  static let promised = Mutation("promise") { (input: String, _: MutationContext) in
    throw Refused(text: input)
  }.durable()

  /// Uses the account as an app does.
  @inline(never)
  static func plant(
    _ account: QueryAccount,
    _ store: FileStore,
    launch: Int
  ) async throws -> Kept {
    let client = account.client
    let events = client.events
    let text = text()
    let user = Query(key: ["user", text] as QueryKey<User>) { User(name: text) }
    let failing = Query(key: ["failing", text] as QueryKey<User>) {
      throw Refused(text: text)
    }.retry(0)
    let rename = Mutation("rename") { (input: String, _: MutationContext) in input + "!" }
    let results = client.stream(user)
    let handle = client.observer(of: rename)
    _ = try await client.fetch(user)
    _ = try? await client.fetch(failing)
    try await handle.mutate(text)
    let items = client.outbox.items
    // It is never sent, but waits to be sent again and again.
    client.observer(of: Self.promised).start(with: text)
    client.setData(User(name: text), for: ["written", text] as QueryKey<User>)
    client.updateData(for: user) { $0?.name += text }
    let archive = client.export().archive
    client.import(archive, for: [.query(user)])
    try await plantMore(client, store, launch)
    try await client.save()
    return Kept(
      account: account,
      events: events,
      results: results,
      handle: handle,
      items: items
    )
  }

  /// Uses what only some apps use.
  @inline(never)
  private static func plantMore(
    _ client: QueryClient,
    _ store: FileStore,
    _ launch: Int
  ) async throws {
    let text = text()
    client.setDefaults(QueryDefaults(fetch: { _ in text }))
    client.setDefaults(QueryOptions(), for: ["group", text]) { _ in text }
    client.setMutationDefaults(MutationOptions(), for: ["group", text]) { _, _ in text }
    // Two mutations of one name.
    client.outbox.register(
      Mutation(text) { (_: String, _: MutationContext) in }.durable()
    )
    client.outbox.register(Mutation(text) { (_: Int, _: MutationContext) in }.durable())
    // Nobody uses it at the next launch.
    client.setData(text, for: ["launch", launch, text] as QueryKey<String>)
    let own = Query(key: ["own", launch, text] as QueryKey<String>) { text }
      .staleTime(.hours(1)).persisted(in: store)
    // Some clients offer it beside their lock from then on.
    for _ in 0..<3 { _ = try await client.fetch(own) }
    var all = client.stream(all: [own]).makeAsyncIterator()
    await expectEqual(all.next()?.first?.data, text)
    let feed = InfiniteQuery("feed", text, initialPageParam: 1) { page in
      "\(page) \(text)"
    } nextPageParam: {
      $0.pages.count + 1
    }
    _ = try await client.fetch(feed)
    _ = try await client.fetchNextPage(of: feed)
  }

  static func run(in directory: String, _ configuration: QueryClient.Configuration) async throws {
    let search = MemorySearch(turned: turned)
    let (store, other) = (
      FileStore(directory: URL(fileURLWithPath: directory + "/store")),
      FileStore(directory: URL(fileURLWithPath: directory + "/other"))
    )
    let accounts = QueryAccounts(in: store, other, configuration: configuration) {
      _,
      configuration in
      configuration.persistence = Persistence(in: store)
      configuration.outbox = OutboxConfiguration(in: other, mutations: [promised])
    }
    try await plant(try await accounts.open("ada"), other, launch: 1).account.close()
    let kept = try await plant(try await accounts.open("ada"), other, launch: 2)
    #expect(search.countInMemory() > 3)
    #expect(search.count(in: directory) > 0)
    try await kept.account.end()
    expectEqual(search.countInMemory(), 0)
    expectEqual(search.count(in: directory), 0)
    expectNil(kept.handle.run.output)
    for await _ in kept.results { Issue.record("a result") }
    for await _ in kept.events { Issue.record("an event") }
    var shown: [OutboxItems] = []
    for await items in kept.items { shown.append(items) }
    expectEqual(shown.map(\.isEmpty), [true])
    expectEmpty(kept.account.client.outbox.currentItems)
    withExtendedLifetime((store, other)) {}
  }

  private static let variable = "STREAMQUERY_ERASED_MEMORY"

  @Test(
    "no byte of an ended account is left, in memory or in its directory",
    .enabled(if: MemorySearch.isPossible),
    arguments: [false, true]
  )
  func search(isServer: Bool) async throws {
    if let path = ProcessInfo.processInfo.environment[Self.variable] {
      guard path.hasSuffix("server") == isServer else { return }
      try await Self.run(in: path, isServer ? .server : .init())
      _ = FileManager.default.createFile(atPath: path + "/searched", contents: nil)
      return
    }
    let path =
      FileManager.default.temporaryDirectory.path + "/StreamQueryErased-\(UUID().uuidString)"
      + (isServer ? "-server" : "")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let (status, output) = try await Self.runAlone(path)
    expectEqual(status, 0, "\(output)")
    expect(FileManager.default.fileExists(atPath: path + "/searched"))
  }

  /// Runs this test once more, in a process that overwrites what is freed.
  private static func runAlone(_ path: String) async throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["--testing-library", "swift-testing", "--filter", "ErasedMemoryTests"]
    process.environment = ProcessInfo.processInfo.environment
      .merging(MemorySearch.environment) { $1 }.merging([variable: path]) { $1 }
    let log = path + "/log"
    _ = FileManager.default.createFile(atPath: log, contents: nil)
    process.standardOutput = FileHandle(forWritingAtPath: log)
    process.standardError = process.standardOutput
    return try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { process in
        let output = FileManager.default.contents(atPath: log) ?? Data()
        continuation.resume(
          returning: (process.terminationStatus, String(decoding: output, as: UTF8.self))
        )
      }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
  }
}
#endif
