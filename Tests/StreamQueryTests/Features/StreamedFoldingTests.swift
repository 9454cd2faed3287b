import StreamQuery
import StreamQueryTesting
import Synchronization
import Testing

/// Numbers in a buffer of their own, which counts how often it is copied.
private struct Numbers: Sendable {
  final class Buffer: Sendable {
    let numbers: Mutex<[Int]>

    init(_ numbers: [Int]) { self.numbers = Mutex(numbers) }
  }

  private var buffer = Buffer([])
  private let copies: Dial<Int>

  init(copies: Dial<Int>) { self.copies = copies }

  var all: [Int] { buffer.numbers.withLock { $0 } }

  mutating func append(_ number: Int) {
    if !isKnownUniquelyReferenced(&buffer) {
      copies.with { $0 += 1 }
      buffer = Buffer(all)
    }
    buffer.numbers.withLock { $0.append(number) }
  }
}

/// A streamed value costs its size once, and not for each element.
struct StreamedFoldingTests {
  private let simulation = Simulation(seed: 4)
  private let client: QueryClient
  private let copies = Dial(0)
  private let total = 200

  init() {
    client = QueryClient(simulation: simulation)
  }

  private func query(_ refetch: StreamedRefetch = .reset) -> Query<Numbers> {
    let (clock, total) = (simulation.clock, total)
    return Query<Numbers>.streamed("n", into: Numbers(copies: copies), refetch: refetch) { _ in
      let count = Dial(0)
      return AsyncThrowingStream<Int, any Error>(
        unfolding: { () async throws -> Int? in
          try await clock.sleep(for: .milliseconds(1))
          let number = count.with { count in
            count += 1
            return count
          }
          return number <= total ? number : nil
        }
      )
    } reduce: {
      $0.append($1)
    }
  }

  @Test(arguments: [StreamedRefetch.reset, .append, .replace])
  func elementsAreFoldedInPlace(_ refetch: StreamedRefetch) throws {
    let (query, client, total) = (query(refetch), client, total)
    let value = try simulation.run { try await client.fetch(query) }
    expectEqual(value.all, Array(1...total))
    #expect(copies.value <= 4)
    simulation.run { await client.refetch(query) }
    #expect(copies.value <= 8)
  }

  @Test func observersThatLetGoOfWhatTheySawCostNoCopies() {
    let (query, client, total) = (query(), client, total)
    let counts = Notes<Int>()
    let task = simulation.task {
      for await result in client.stream(query) { counts.add(result.data?.all.count ?? 0) }
    }
    simulation.advance(by: .seconds(1))
    expectEqual(counts.all, Array(0...total) + [total])
    #expect(copies.value <= 4)
    task.cancel()
    simulation.settle()
  }

  @Test func whoKeepsAnEarlierValueKeepsIt() {
    let (query, total) = (query(), total)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    expectEqual(recording.values.map { $0.data?.all.count ?? 0 }, Array(0...total) + [total])
    expectEqual(recording.values.last?.data?.all, Array(1...total))
    recording.cancel()
  }

  @Test func whatIsWrittenInBetweenIsFoldedInto() throws {
    let (query, client, total) = (query(), client, total)
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(100) + .microseconds(500))
    for number in [-1, -2] { client.updateData(for: query) { $0?.append(number) } }
    simulation.advance(by: .seconds(1))
    expectEqual(recording.values.last?.data?.all, Array(1...100) + [-1, -2] + Array(101...total))
    recording.cancel()
  }

  @Test func anObjectIsFoldedIntoOnce() throws {
    final class Sum: Sendable {
      let value = Dial(0)
    }
    let clock = simulation.clock
    let query = Query<Sum>.streamed("sum", into: Sum()) { _ in
      let count = Dial(0)
      return AsyncThrowingStream<Int, any Error>(
        unfolding: { () async throws -> Int? in
          try await clock.sleep(for: .milliseconds(1))
          count.with { $0 += 1 }
          return count.value <= 10 ? count.value : nil
        }
      )
    } reduce: { sum, number in
      sum.value.with { $0 += number }
    }
    let client = client
    try expectEqual(simulation.run { try await client.fetch(query) }.value.value, 55)
  }
}
