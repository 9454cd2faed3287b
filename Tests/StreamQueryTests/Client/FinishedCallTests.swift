#if os(Linux) && canImport(Glibc)
import Foundation
import StreamQueryOperators
import StreamQueryTesting
import Testing

@testable import StreamQuery
import StreamQueryPersistence

/// What calls leave behind that were answered long before the end of their time.
///
/// On the clock of an app, since a cancelled sleep is kept by the runtime; each kind in a process of
/// its own, since the bytes of all threads are counted.
struct FinishedCallTests {
  enum Kind: String, Codable, CaseIterable, Sendable {
    case timeout, retriedTimeout, softTimeout, limitedFetch, goneClient, refresh, cancelledSleep
    case storeWait, save, operatorTimeout, plainOperatorTimeout

    /// Each kind takes half a second: with few seeds there are some.
    static let tried =
      Seeds.factor > 1
      ? allCases : [.softTimeout, .storeWait, .operatorTimeout]
  }

  @Test(.enabled(if: HeapUse.isKnown), arguments: Kind.tried)
  func aCallThatHasEndedLeavesNextToNothing(_ kind: Kind) async {
    let exit = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) { [kind] in
      let bytes = await Self.bytesPerCall(kind)
      guard bytes > Self.bound else { return }
      FileHandle.standardError.write(Data("\(kind) leaves \(bytes) bytes\n".utf8))
      Foundation.exit(1)
    }
    expectEqual(String(decoding: exit?.standardErrorContent ?? [], as: UTF8.self), "")
  }

  /// The bytes that a call may leave behind.
  private static let bound = 40.0

  private static let long = Duration.seconds(600)

  /// A client whose entries are never fresh.
  private static func client(
    _ configure: (inout QueryClient.Configuration) -> Void = { _ in }
  ) -> QueryClient {
    var configuration = QueryClient.Configuration.server
    configuration.defaults.options.staleTime = .zero
    configure(&configuration)
    return QueryClient(configuration: configuration)
  }

  private static func bytesPerCall(_ kind: Kind) async -> Double {
    let query = Query<Int>("n") { 7 }
    let limited = query.timeout(long)
    switch kind {
    case .timeout:
      let client = client()
      return await HeapUse.bytesPerCall(bound: bound) { _ in _ = try? await client.fetch(limited) }
    case .retriedTimeout:
      let client = client()
      let retried = limited.retry(3)
      return await HeapUse.bytesPerCall(bound: bound) { _ in _ = try? await client.fetch(retried) }
    case .softTimeout:
      let client = client()
      let soft = query.staleIfError(long).softTimeout(long)
      return await HeapUse.bytesPerCall(bound: bound) { _ in _ = try? await client.fetch(soft) }
    case .limitedFetch:
      let client = client()
      return await HeapUse.bytesPerCall(bound: bound) { _ in
        _ = try? await client.fetch(query, timeout: long)
      }
    case .goneClient:
      // A thousand calls each.
      var present = client()
      return await HeapUse.bytesPerCall(bound: bound) { number in
        if number % 1_000 == 0 { present = client() }
        _ = try? await present.fetch(limited, timeout: long)
      }
    case .refresh:
      let client = client()
      client.setData(7, for: query)
      return await HeapUse.bytesPerCall(bound: bound) { _ in await client.refetchStale(within: long)
      }
    case .cancelledSleep:
      let clock = client().clock
      return await HeapUse.bytesPerCall(bound: bound) { _ in
        let sleep = Task { try await clock.sleep(for: long) }
        sleep.cancel()
        _ = await sleep.result
      }
    case .storeWait:
      let store = SlowStore(clock: ContinuousClock()) { $0.loading = long }
      let client = client {
        var persistence = Persistence(in: store)
        persistence.restoreTimeout = long
        $0.persistence = persistence
      }
      return await HeapUse.bytesPerCall(bound: bound) { _ in
        let call = Task { try await client.fetch(query, timeout: long) }
        call.cancel()
        _ = await call.result
      }
    case .save:
      let client = client {
        var persistence = Persistence(in: MemoryStore())
        persistence.throttle = long
        $0.persistence = persistence
      }
      return await HeapUse.bytesPerCall(bound: bound) { number in
        client.setData(number, for: query)
        try? await client.save()
      }
    case .plainOperatorTimeout:
      let client = client()
      return await HeapUse.bytesPerCall(bound: bound) { _ in
        var iterator = client.results(of: query).timeout(after: long).makeAsyncIterator()
        _ = try? await iterator.next()
      }
    case .operatorTimeout:
      let client = client()
      return await HeapUse.bytesPerCall(bound: bound) { _ in
        // The same clock as for who iterates in a fetch.
        let results = client.results(of: query).timeout(after: long, clock: client.clock)
        var iterator = results.makeAsyncIterator()
        _ = try? await iterator.next()
      }
    }
  }
}
#endif
