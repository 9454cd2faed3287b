import StreamQueryTesting

import StreamQuery
import StreamQueryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A client that imports archives which a test gives one by one.
struct PendingWorld {
  let simulation: Simulation
  let client: QueryClient
  let fetch: ScriptedFetch<String>
  let key: QueryKey<String> = "name"
  let text = #"Swift.String["name"]"#
  let input: AsyncStream<CacheArchive>.Continuation
  let report: Task<ArchiveImport, Never>

  init(
    fetching step: ScriptedFetch<String>.Step = .value("own", after: .seconds(1)),
    room: Int? = nil,
    timeout limit: Duration = .seconds(30),
    before: (Simulation, QueryClient) -> Void = { _, _ in }
  ) {
    let simulation = Simulation(seed: 98)
    let client = QueryClient(simulation: simulation) { $0.maxConcurrentFetches = room }
    before(simulation, client)
    let (archives, input) = AsyncStream.makeStream(of: CacheArchive.self)
    self.simulation = simulation
    self.client = client
    self.input = input
    fetch = ScriptedFetch(step)
    report = simulation.task {
      await client.import(
        contentsOf: archives,
        for: [.values(of: String.self)],
        timeout: limit
      )
    }
    simulation.settle()
    send(CacheArchive(pending: [text]))
  }

  var query: Query<String> { Query(key: key, fetch: fetch) }
  var data: String? { client.data(for: key) }

  func send(_ archive: CacheArchive) {
    input.yield(archive)
    simulation.settle()
  }

  func archive(
    _ value: String = "theirs",
    age: Double = 0,
    isInvalidated: Bool = false
  ) -> CacheArchive {
    let entry = CacheArchive.Entry(
      key: text,
      value: .init("\"\(value)\"".utf8),
      updatedAt: simulation.date.addingTimeInterval(-age),
      isInvalidated: isInvalidated
    )
    return CacheArchive(entries: [entry])
  }

  /// Ends the archives.
  func finish() -> ArchiveImport {
    input.finish()
    return simulation.run { await report.value }
  }
}
