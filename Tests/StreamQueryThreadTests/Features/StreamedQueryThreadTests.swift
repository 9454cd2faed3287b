import StreamQuery
import Testing

/// Fetches of a streamed query on real threads: no data mixes the elements of two.
struct StreamedQueryThreadTests {
  @Test("on threads: what ends last has all elements once", .timeLimit(.minutes(10)))
  func onThreads() async throws {
    let client = QueryClient()
    let query = Query<[Int]>.streamed("n") { _ in
      AsyncStream { continuation in
        for number in 1...3 { continuation.yield(number) }
        continuation.finish()
      }
    }
    let stream = client.stream(query)
    let watching = Task {
      var wrong: [[Int]] = []
      for await data in stream.compactMap(\.data) where data != Array([1, 2, 3].prefix(data.count))
      {
        wrong.append(data)
      }
      return wrong
    }
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<6 {
        group.addTask {
          for round in 0..<80 {
            switch (worker + round) % 6 {
            case 0: await client.refetch(.query(query))
            case 1: await client.invalidate(query)
            case 2: client.cancel(query)
            case 3: client.remove(.query(query))
            case 4: client.setData([], for: query, fencing: true)
            default:
              let caller = Task { try await client.fetch(query) }
              if round % 2 == 0 { caller.cancel() }
              _ = await caller.result
            }
          }
        }
      }
    }
    await client.refetch(.query(query))
    expectEqual(client.data(for: query), [1, 2, 3])
    expectEqual(client.result(for: query.key).isFetching, false)
    watching.cancel()
    await expectEqual(watching.value, [])
  }
}
