import StreamQuery
import StreamQueryOperators
import Synchronization
import Testing

/// Operators on real threads, where seeds are chance: what holds must hold in each round.
struct ThreadTests {
  /// The numbers below a count, made by another task with pauses here and there.
  private func numbers(_ count: Int, _ round: Int) -> AsyncStream<Int> {
    AsyncStream { continuation in
      Task.detached {
        for number in 0..<count {
          continuation.yield(number)
          if (number + round).isMultiple(of: 4) { await nap() }
        }
        continuation.finish()
      }
    }
  }

  @Test(arguments: 0..<20)
  func whatIsFollowedComesWithoutGapsUntilItIsLeft(round: Int) async {
    let streams = numbers(50, round).switchToLatest { outer in
      numbers(20, round + outer).map { (outer, $0) }
    }
    var last = (-1, -1)
    for await (outer, number) in streams {
      if outer == last.0 {
        expectEqual(number, last.1 + 1)
      } else {
        #expect(outer > last.0 && number == 0)
      }
      last = (outer, number)
    }
    #expect(last == (49, 19))
  }

  @Test(arguments: 0..<20)
  func eachElementMakesOneTuple(round: Int) async {
    var last: (Int, Int)?
    for await pair in combineLatest(numbers(100, round), numbers(100, round * 3)) {
      if let last { expectEqual(pair.0 + pair.1, last.0 + last.1 + 1) }
      last = pair
    }
    expect(last?.0 == 99 && last?.1 == 99)
  }

  @Test(arguments: 0..<20)
  func aTurnIsSeenWholeLaw4(round: Int) async {
    let client = QueryClient()
    let keys = (0..<4).map { QueryKey<Int>("n", $0) }
    for key in keys { client.setData(0, for: key) }
    let writers = (0..<3).map { writer in
      Task.detached {
        for _ in 0..<200 {
          client.updateData(matching: .prefix("n"), of: Int.self) { $1? += 1 }
          if writer == round % 3 { await nap() }
        }
      }
    }
    let results = keys.map { client.results(of: Query(key: $0)) }
    var last = 0
    for await (a, b, c, d) in combineLatest(results[0], results[1], results[2], results[3]) {
      let seen = [a, b, c, d].compactMap(\.data)
      expect(seen.count == 4 && Set(seen).count == 1)
      #expect(seen[0] >= last)
      last = seen[0]
      if last == 600 { break }
    }
    for writer in writers { await writer.value }
    #expect(client.diagnostics().allSatisfy { $0.observerCount == 0 })
  }

  @Test(arguments: 0..<10)
  func theLastElementIsNeverConflatedAway(round: Int) async {
    let clock = ContinuousClock()
    let interval = Duration.microseconds(80)
    let conflated: [any AsyncSequence<Int, Never> & Sendable] = [
      numbers(200, round).debounce(for: interval, clock: clock),
      numbers(200, round).throttle(for: interval, clock: clock),
      numbers(200, round).throttle(for: interval, edges: .trailing, clock: clock),
    ]
    for sequence in conflated {
      var last = -1
      for await number in sequence {
        #expect(number > last)
        last = number
      }
      expectEqual(last, 199)
    }
  }

  @Test(arguments: 0..<20)
  func whoIsDroppedOrCancelledListensToNobody(round: Int) async {
    let listening = Mutex(0)
    let source = { @Sendable () -> AsyncStream<Int> in
      listening.withLock { $0 += 1 }
      return AsyncStream { continuation in
        continuation.onTermination = { _ in listening.withLock { $0 -= 1 } }
        Task.detached {
          for number in 0..<1_000 {
            if case .terminated = continuation.yield(number) { return }
            if number.isMultiple(of: 9) { await nap() }
          }
          continuation.finish()
        }
      }
    }
    let interval = Duration.microseconds(50)
    let sequences: [any AsyncSequence<Int, any Error> & Sendable] = [
      merge(source(), source().timeout(after: .seconds(60))),
      merge(
        combineLatest(source(), source()).map { $0 + $1 },
        source().timeout(after: .seconds(60))
      ),
      source().switchToLatest { _ in source() }.throwing,
      source().debounce(for: interval, clock: ContinuousClock()).throwing,
      source().throttle(for: interval, clock: ContinuousClock()).throwing,
    ]
    let consumers = sequences.map { sequence in
      Task.detached {
        var count = 0
        for try await _ in sequence {
          count += 1
          if count == 40 + round { return }
        }
      }
    }
    for _ in 0..<round { await nap() }
    if round.isMultiple(of: 2) { for consumer in consumers { consumer.cancel() } }
    for consumer in consumers { _ = await consumer.result }
    // What ends the tasks is under way already; the suite's time limit is the bound.
    while listening.withLock({ $0 }) > 0 { await nap() }
  }
}

/// Lets other tasks in.
private func nap() async {
  await Task.detached {}.value
}

extension AsyncSequence where Element == Int, Failure == Never, Self: Sendable {
  /// The same sequence as one that may fail.
  fileprivate var throwing: any AsyncSequence<Int, any Error> & Sendable {
    merge(self, AsyncThrowingStream<Int, any Error> { nil })
  }
}
