/// Merges sequences: delivers every element of each, in the order in which the elements come.
///
/// - Finish: when all have finished.
/// - Failure: the first failure stops the others; elements that came before it are delivered first.
/// - Cancellation: ends with `nil`; the tasks that iterate are cancelled.
/// - Buffering: one task per sequence. Each sequence is asked for an element only while the consumer waits
///   and no element is buffered. So at most one element of each is buffered, and none is lost.
///
/// ```swift
/// for await _ in merge(refreshButton, pushMessages) { await client.invalidate(.prefix("inbox")) }
/// ```
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
///   - others: Any number of further sequences.
/// - Returns: A sequence with the elements of all.
public func merge<Element: Sendable, Failure>(
  _ a: any AsyncSequence<Element, Failure> & Sendable,
  _ b: any AsyncSequence<Element, Failure> & Sendable,
  _ others: any AsyncSequence<Element, Failure> & Sendable...
) -> ErasedSequence<Element, Failure> {
  merge(([a, b] + others).map { ErasedSequence($0) })
}

/// Merges sequences that fail with different errors, or of which some cannot fail.
///
/// The returned sequence behaves as if all had one failure type, except that it may throw any error.
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
///   - others: Any number of further sequences.
/// - Returns: A sequence with the elements of all.
@_disfavoredOverload
public func merge<Element: Sendable, each Failure: Error>(
  _ a: any AsyncSequence<Element, some Error> & Sendable,
  _ b: any AsyncSequence<Element, some Error> & Sendable,
  _ others: repeat any AsyncSequence<Element, each Failure> & Sendable
) -> ErasedSequence<Element, any Error> {
  typealias Definition = OperatorDefinition<MergeMachine, Element, any Error>
  var sources = [
    Definition.source(ErasedSequence(a), element: { $0 }, failure: { $0 }),
    Definition.source(ErasedSequence(b), element: { $0 }, failure: { $0 }),
  ]
  for other in repeat each others {
    sources.append(Definition.source(ErasedSequence(other), element: { $0 }, failure: { $0 }))
  }
  return merging(sources)
}

/// Merges any number of sequences of one type.
///
/// - Finish: when all have finished.
/// - Failure: the first failure stops the others; elements that came before it are delivered first.
/// - Cancellation: ends with `nil`; the tasks that iterate are cancelled.
/// - Buffering: one task per sequence. Each sequence is asked for an element only while the consumer waits
///   and no element is buffered. So at most one element of each is buffered, and none is lost.
///
/// - Complexity: O(1) per element, O(*n*) for each wait of the consumer at worst.
/// - Parameter sequences: The sequences. If there are none, the merged sequence finishes at once.
/// - Returns: A sequence with the elements of all.
public func merge<Base: AsyncSequence & Sendable>(
  _ sequences: [Base]
) -> ErasedSequence<Base.Element, Base.Failure> where Base.Element: Sendable {
  merging(sequences.map { OperatorDefinition.source($0, element: { $0 }, failure: { $0 }) })
}

private func merging<Element: Sendable, Failure>(
  _ sources: [OperatorDefinition<MergeMachine, Element, Failure>.Source]
) -> ErasedSequence<Element, Failure> {
  OperatorDefinition(machine: MergeMachine(count: sources.count), sources: sources).sequence
}
