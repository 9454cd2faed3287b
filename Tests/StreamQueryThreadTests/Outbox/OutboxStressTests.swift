import StreamQueryPersistence
import StreamQueryTesting
import Synchronization
import Testing

#if TSAN_LOCK
@testable import StreamQuery
#else
import StreamQuery
#endif

/// Many threads at once, on the real clock.
@Suite(.timeLimit(.minutes(10))) struct OutboxStressTests {
  /// What was sent in each scope.
  private final class Sent: Sendable {
    let numbers = TestLock<[Int: [Int]]>([:])
    /// Emits when everything was sent.
    let done: AsyncStream<Void>
    private let finish: AsyncStream<Void>.Continuation
    private let count: Int

    init(_ count: Int) {
      self.count = count
      (done, finish) = AsyncStream.makeStream()
    }

    func add(_ number: Int, of scope: Int) {
      let sum = numbers.withLock { numbers in
        numbers[scope, default: []].append(number)
        return numbers.values.map(\.count).reduce(0, +)
      }
      if sum == count { finish.yield() }
    }
  }

  private func client(_ store: MemoryStore) -> QueryClient {
    var configuration = QueryClient.Configuration.server
    configuration.outbox = OutboxConfiguration(in: store)
    return QueryClient(configuration: configuration)
  }

  @Test func runsOfManyThreadsAreSentInTheOrderOfTheirScopes() async throws {
    let (store, sent) = (MemoryStore(), Sent(400))
    let clients = [client(store), client(store)]
    await withTaskGroup(of: Void.self) { group in
      for (place, client) in clients.enumerated() {
        for part in 0..<4 {
          // A scope has one writer, so that its order is known.
          let scope = place * 4 + part
          let mutation = Mutation<Int, Int>("send", scope) { input in
            sent.add(input, of: scope)
            return input
          }
          .scope("\(scope)")
          .durable()
          group.addTask {
            await withTaskGroup(of: Void.self) { runs in
              for number in 0..<50 {
                let observer = client.observer(of: mutation)
                observer.start(with: number)
                if number % 10 == 9 {
                  runs.addTask { for await run in observer.runs where !run.isPending { break } }
                }
              }
            }
          }
        }
        group.addTask {
          for await items in client.outbox.items {
            if let item = items.last { client.outbox.retry(item.id) }
          }
        }
      }
      try? await clients[0].restore()
      for await _ in sent.done { break }
      for client in clients {
        for await items in client.outbox.items where items.isEmpty { break }
      }
      for client in clients { try? await client.save() }
      for client in clients { client.shutDown() }
    }
    expectEmpty(store.load(.main).records)
    for numbers in sent.numbers.withLock({ $0 }).values { expectEqual(numbers, Array(0..<50)) }
  }
}
