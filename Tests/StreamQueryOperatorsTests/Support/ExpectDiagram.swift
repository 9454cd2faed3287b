import StreamQuery
import StreamQueryTesting
import Testing

/// Plays inputs through an operator, in many interleavings, and compares the output.
///
/// ```swift
/// expectDiagram("---b-c|") { $0.input("ab--c|").debounce(for: .ticks(2), clock: $0.clock) }
/// ```
///
/// `;` in the output cancels the consumer. When the output has ended, nothing may be left: no task,
/// no sleeper, nobody who listens to an input.
///
/// - Parameters:
///   - expected: The output.
///   - asks: A line with a marble for each element that the consumer asks for; by default it
///     always asks, from just before the first tick.
///   - anyOrder: Whether the order within a tick is open.
///   - seeds: The interleavings.
///   - sourceLocation: Where a difference is reported.
///   - render: How an element is written in a diagram.
///   - make: Makes the operator's sequence in a world.
func expectDiagram<Output: AsyncSequence & Sendable>(
  _ expected: String,
  asks: String? = nil,
  anyOrder: Bool = false,
  seeds: Range<UInt64> = 0..<64,
  sourceLocation: SourceLocation = #_sourceLocation,
  render: @escaping @Sendable (Output.Element) -> String = { "\($0)" },
  _ make: (MarbleWorld) -> Output
) {
  let line = MarbleLine(expected)
  let end = line.marbles.first { $0.value.contains(where: \.isEnd) }
  let cancel = line.marbles.first { $0.value.contains(.cancel) }?.key
  for seed in seeds {
    let environment = MarbleWorld(seed: seed)
    environment.consume(make(environment), asks: asks, cancelAt: cancel, render: render)
    let output = environment.play(until: line.length)
    let isEqual = anyOrder ? output.sortedWithinTicks == line.sortedWithinTicks : output == line
    expect(isEqual, "seed \(seed): \(output) instead of \(line)", sourceLocation: sourceLocation)
    let leftovers = end == nil ? [] : environment.leftovers()
    expectEqual(leftovers, [], "seed \(seed)", sourceLocation: sourceLocation)
    environment.simulation.shutDown()
    // The first wrong interleaving says enough.
    if !isEqual || !leftovers.isEmpty { return }
  }
}

extension Duration {
  /// Columns of a diagram.
  static func ticks(_ count: Int) -> Duration {
    MarbleWorld.tick * count
  }
}
