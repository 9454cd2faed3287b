@_spi(Adapters) import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Testing

/// Several queries as one stream, and queries whose fetch is a stream.
struct ListSamples {
  let simulation = Simulation()
  let client: QueryClient

  init() {
    client = QueryClient(simulation: simulation)
  }

  @Test func listsKeepTheirOrder() {
    let ids = [3, 1, 2]
    let users = simulation.record(client.stream(all: ids.map { .user($0) }))
    let two = simulation.record(
      client.stream(all: [.user(1), .user(2)], options: .init(staleTime: .minutes(1)))
    )
    simulation.settle()
    expectEqual(users.values.last?.map { $0.data?.id }, [3, 1, 2])
    expectEqual(two.values.last?.compactMap(\.data).count, 2)
  }

  @Test func longListsStayQuickToCompile() {
    let results = simulation.record(
      client.stream(all: [
        .user(1), .user(2), .user(3), .user(4), .user(5), .user(6), .user(7), .user(8), .user(9),
        .user(10), .user(11), .user(12), .user(13), .user(14), .user(15), .user(16), .user(17),
        .user(18), .user(19), .user(20), .user("a"), .user("b"), .user("c"),
      ])
    )
    simulation.settle()
    expectEqual(results.values.last?.count, 23)
  }

  @Test func unlikeQueriesAreFoundByTheirKeys() {
    let first = client.result(for: [AnyQuery(.user(1)), AnyQuery(.repos(1))])
    let offline = client.result(for: .user(1), options: ObserverOptions(enabled: false))
    expect(first[.user(1)]?.isFetching == true && first.count == 2 && !offline.isFetching)
    let observer = client.observer(all: [AnyQuery(.user(1)), AnyQuery(.repos(1))])
    let results = simulation.record(observer.stream)
    let readiness = simulation.record(
      client.observer(all: [AnyQuery(.user(1), options: .init(enabled: true)).enabled(true)])
        .combine { $0.isSuccess }
    )
    simulation.settle()
    expectEqual(results.values.last?[.user(1)]?.data?.id, 1)
    expectEqual(results.values.last?[.repos(1)]?.data?.count, 1)
    expectNil(results.values.last?[.user(2)])
    expectEqual(results.values.last?.results(of: User.self).count, 1)
    expectEqual(readiness.values.last, true)
    observer.update([AnyQuery(.repos(2))])
    simulation.settle()
    expectEqual(results.values.last?.count, 1)
    expectEqual(observer.results[.repos(2)]?.isSuccess, true)
    observer.linger(.seconds(1))
  }

  @Test func queriesOfOneKeyAreToldApartByTheirTypes() {
    let user = AnyQuery(.user(1))
    let names = AnyQuery(Query<[String]>("users", 1) { ["Ada"] })
    expectEqual(user.key, names.key)
    expect(user.valueType == User.self && names.valueType == [String].self)
  }

  @Test func aFetchMayBeAStream() throws {
    let words = Query<[String]>.streamed("words", 1) { _ in
      AsyncStream { continuation in
        for word in ["a", "b"] { continuation.yield(word) }
        continuation.finish()
      }
    }
    let text = Query<String>.streamed("text", into: "", refetch: .replace) { _ in
      AsyncStream { continuation in
        for word in ["a", "b"] { continuation.yield(word) }
        continuation.finish()
      }
    } reduce: {
      $0 += $1
    }
    .staleTime(.minutes(1))
    let client = client
    try expectEqual(simulation.run { try await client.fetch(words) }, ["a", "b"])
    try expectEqual(simulation.run { try await client.fetch(text) }, "ab")
  }

  @Test func aStreamMayHaveNoEnd() throws {
    let words = Query<[String]>.streamed("words", refetch: .append, endless: true) { _ in
      AsyncStream<String> { continuation in continuation.yield("a") }
    }
    let newest = Query<String>.streamed("newest", into: "", refetch: .replace, endless: true) { _ in
      AsyncStream<String> { continuation in continuation.yield("a") }
    } reduce: {
      $0 = $1
    }
    let keyed = Query<String>.streamed(key: newest.key, into: "", endless: true) { _ in
      AsyncStream<String> { continuation in continuation.yield("b") }
    } reduce: {
      $0 = $1
    }
    let client = client
    try expectEqual(simulation.run { try await client.fetch(words) }, ["a"])
    try expectEqual(simulation.run { try await client.fetch(newest) }, "a")
    try expectEqual(simulation.run { try await client.fetch(keyed) }, "b")
    simulation.run { await client.invalidate(words, refetch: .all) }
    expectEqual(client.data(for: words), ["a", "a"])
    #expect("\(QueryMisuse.endlessStreamAwaited(key: "words"))".contains("endless: true"))
  }
}
