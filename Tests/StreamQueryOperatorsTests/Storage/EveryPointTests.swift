import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Testing

/// Cancels the consumer at every tick, and ends either input at every tick, well or not: what came
/// before stays as it was, nothing comes after, and nothing is left behind.
///
/// The same for operators on results is `expectEndsPassThrough`.
struct EveryPointTests {
  // Never both in one tick, so that no order is left to chance; every second tick is quiet.
  private static let lines = ["-a----c---e-----g-", "---b----d-----f---"]
  private static let ticks = 0..<18

  private typealias Input = MarbleSource<String, MarbleFailure>

  /// What a consumer that always asks gets; or one that asks at some ticks, and whose last word may
  /// never come.
  private func play<Output: AsyncSequence<String, any Error> & Sendable>(
    _ lines: [String],
    seed: UInt64,
    asks: String?,
    cancelAt tick: Int? = nil,
    _ make: (MarbleWorld, Input, Input) -> Output
  ) -> (output: MarbleLine, leftovers: [String]) {
    let environment = MarbleWorld(seed: seed)
    let (first, second) = (environment.failing(lines[0]), environment.failing(lines[1]))
    environment.consume(make(environment, first, second), asks: asks, cancelAt: tick) { $0 }
    let output = environment.play(until: 30)
    defer { environment.simulation.shutDown() }
    return (output, environment.leftovers())
  }

  private func expectEveryPoint(
    inputs: Int = 2,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ make: (MarbleWorld, Input, Input) -> some AsyncSequence<String, any Error> & Sendable
  ) {
    for seed in 0..<4 as Range<UInt64> {
      for asks in [nil, "x---x-x----xx--x-----xxxxxx"] {
        let whole = play(Self.lines, seed: seed, asks: asks, make).output
        // A consumer that is late may find two that wait, in either order.
        let isSame = { (output: MarbleLine, tick: Int) in
          let (old, new) = (
            whole.marbles.filter { $0.key < tick }, output.marbles.filter { $0.key < tick }
          )
          return asks == nil ? old == new : old.mapValues(\.count) == new.mapValues(\.count)
        }
        for tick in Self.ticks {
          let (output, left) = play(Self.lines, seed: seed, asks: asks, cancelAt: tick, make)
          let name: Comment = "seed \(seed), cancelled at \(tick): \(output) of \(whole)"
          expect(isSame(output, tick), name, sourceLocation: sourceLocation)
          expectEqual(left, [], name, sourceLocation: sourceLocation)
          guard asks == nil else { continue }
          let isOver = whole.marbles.contains { $0.key < tick && $0.value.contains(where: \.isEnd) }
          let isEnd = output.marbles[tick]?.last?.isEnd ?? isOver
          expect(isEnd, name, sourceLocation: sourceLocation)
          #expect(
            output.marbles.keys.allSatisfy { $0 <= tick },
            name,
            sourceLocation: sourceLocation
          )
        }
        for (tick, input, end) in Self.ends(of: inputs) {
          var lines = Self.lines
          lines[input] = lines[input].prefix(tick) + end
          let (output, left) = play(lines, seed: seed, asks: asks, make)
          let name: Comment =
            "seed \(seed), input \(input) \(end) at \(tick): \(output) of \(whole)"
          expect(isSame(output, tick), name, sourceLocation: sourceLocation)
          let hasEnded = output.marbles.values.joined().contains(where: \.isEnd)
          if asks == nil, end == "^" {
            expect(hasEnded, name, sourceLocation: sourceLocation)
          }
          guard hasEnded else { continue }
          expectEqual(left, [], name, sourceLocation: sourceLocation)
        }
      }
    }
  }

  /// Ends of inputs in ticks in which no input has an element.
  private static func ends(of inputs: Int) -> [(tick: Int, input: Int, end: String)] {
    let quiet = ticks.filter { tick in lines.allSatisfy { MarbleLine($0).marbles[tick] == nil } }
    return quiet.flatMap { tick in
      (0..<inputs).flatMap { input in ["|", "^"].map { (tick, input, $0) } }
    }
  }

  @Test func merging() {
    expectEveryPoint { merge($1, $2).erased }
    expectEveryPoint { merge([$1, $2]).erased }
  }

  @Test func combining() {
    expectEveryPoint { combineLatest($1, $2).map { $0 + $1 }.erased }
    expectEveryPoint { combineLatest([$1, $2]).map { $0.joined() }.erased }
  }

  @Test func switching() {
    expectEveryPoint { _, first, second in first.switchToLatest { _ in second }.erased }
  }

  @Test func debouncing() {
    expectEveryPoint(inputs: 1) { environment, first, _ in
      first.debounce(for: .ticks(2), clock: environment.clock).erased
    }
  }

  @Test(arguments: [ThrottleEdges.leading, .trailing, .both])
  func throttling(_ edges: ThrottleEdges) {
    expectEveryPoint(inputs: 1) { environment, first, _ in
      first.throttle(for: .ticks(2), edges: edges, clock: environment.clock).erased
    }
  }

  @Test func timingOut() {
    expectEveryPoint(inputs: 1) { _, first, _ in first.timeout(after: .ticks(5)).erased }
  }
}

extension AsyncSequence where Element == String, Self: Sendable {
  /// The same sequence with its failure's type forgotten.
  fileprivate var erased: ErasedFailure<Self> { ErasedFailure(base: self) }
}

private struct ErasedFailure<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == String {
  typealias Element = String
  typealias Failure = any Error

  let base: Base

  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator

    mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> String? {
      try await base.next(isolation: actor)
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }
}
