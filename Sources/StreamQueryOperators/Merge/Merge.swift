/// Merges two sequences: every element of each, in the order in which they come.
///
/// - Finish: when all have finished.
/// - Failure: the first failure stops the others; elements that came before it are delivered
///   first.
/// - Cancellation: ends with `nil`; the tasks that iterate are cancelled.
/// - Buffering: one task per sequence. Each is asked for an element only while the consumer waits
///   and nothing is buffered, so at most one element of each is, and none is lost.
///
/// ```swift
/// for await _ in merge(refreshButton, pushMessages) { await client.invalidate(.prefix("inbox")) }
/// ```
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
/// - Returns: A sequence of the elements of all.
public func merge<
  A: AsyncSequence & Sendable,
  B: AsyncSequence & Sendable
>(
  _ a: A,
  _ b: B
) -> ErasedSequence<A.Element, A.Failure>
where
  A.Element: Sendable,
  B.Element == A.Element,
  B.Failure == A.Failure
{
  let sources: [FlowPlan<MergeMachine, A.Element, A.Failure>.Source] = [
    FlowPlan.source(a, element: { $0 }, failure: { $0 }),
    FlowPlan.source(b, element: { $0 }, failure: { $0 }),
  ]
  return ErasedSequence(
    FlowSequence(FlowPlan(machine: MergeMachine(count: 2), sources: sources))
  )
}

/// Merges three sequences: every element of each, in the order in which they come.
///
/// - Finish: when all have finished.
/// - Failure: the first failure stops the others; elements that came before it are delivered
///   first.
/// - Cancellation: ends with `nil`; the tasks that iterate are cancelled.
/// - Buffering: one task per sequence. Each is asked for an element only while the consumer waits
///   and nothing is buffered, so at most one element of each is, and none is lost.
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
///   - c: The third sequence.
/// - Returns: A sequence of the elements of all.
public func merge<
  A: AsyncSequence & Sendable,
  B: AsyncSequence & Sendable,
  C: AsyncSequence & Sendable
>(
  _ a: A,
  _ b: B,
  _ c: C
) -> ErasedSequence<A.Element, A.Failure>
where
  A.Element: Sendable,
  B.Element == A.Element,
  B.Failure == A.Failure,
  C.Element == A.Element,
  C.Failure == A.Failure
{
  let sources: [FlowPlan<MergeMachine, A.Element, A.Failure>.Source] = [
    FlowPlan.source(a, element: { $0 }, failure: { $0 }),
    FlowPlan.source(b, element: { $0 }, failure: { $0 }),
    FlowPlan.source(c, element: { $0 }, failure: { $0 }),
  ]
  return ErasedSequence(
    FlowSequence(FlowPlan(machine: MergeMachine(count: 3), sources: sources))
  )
}

/// Merges two sequences that fail with different errors, or of which some cannot fail.
///
/// As the merge of sequences with one failure type, but any error may be thrown.
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
/// - Returns: A sequence of the elements of all.
public func merge<
  A: AsyncSequence & Sendable,
  B: AsyncSequence & Sendable
>(
  _ a: A,
  _ b: B
) -> ErasedSequence<A.Element, any Error>
where
  A.Element: Sendable,
  B.Element == A.Element
{
  let sources: [FlowPlan<MergeMachine, A.Element, any Error>.Source] = [
    FlowPlan.source(a, element: { $0 }, failure: { $0 }),
    FlowPlan.source(b, element: { $0 }, failure: { $0 }),
  ]
  return ErasedSequence(
    FlowSequence(FlowPlan(machine: MergeMachine(count: 2), sources: sources))
  )
}

/// Merges three sequences that fail with different errors, or of which some cannot fail.
///
/// As the merge of sequences with one failure type, but any error may be thrown.
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
///   - c: The third sequence.
/// - Returns: A sequence of the elements of all.
public func merge<
  A: AsyncSequence & Sendable,
  B: AsyncSequence & Sendable,
  C: AsyncSequence & Sendable
>(
  _ a: A,
  _ b: B,
  _ c: C
) -> ErasedSequence<A.Element, any Error>
where
  A.Element: Sendable,
  B.Element == A.Element,
  C.Element == A.Element
{
  let sources: [FlowPlan<MergeMachine, A.Element, any Error>.Source] = [
    FlowPlan.source(a, element: { $0 }, failure: { $0 }),
    FlowPlan.source(b, element: { $0 }, failure: { $0 }),
    FlowPlan.source(c, element: { $0 }, failure: { $0 }),
  ]
  return ErasedSequence(
    FlowSequence(FlowPlan(machine: MergeMachine(count: 3), sources: sources))
  )
}

/// Merges any number of sequences of one type.
///
/// - Finish: when all have finished.
/// - Failure: the first failure stops the others; elements that came before it are delivered
///   first.
/// - Cancellation: ends with `nil`; the tasks that iterate are cancelled.
/// - Buffering: one task per sequence. Each is asked for an element only while the consumer waits
///   and nothing is buffered, so at most one element of each is, and none is lost.
///
/// - Complexity: O(1) per element, O(*n*) for each wait of the consumer at worst.
/// - Parameter sequences: The sequences. None of them: the merged sequence finishes at once.
/// - Returns: A sequence of the elements of all.
public func merge<Base: AsyncSequence & Sendable>(
  _ sequences: [Base]
) -> ErasedSequence<Base.Element, Base.Failure> where Base.Element: Sendable {
  let sources = sequences.map { base in
    FlowPlan<MergeMachine, Base.Element, Base.Failure>
      .source(base, element: { $0 }, failure: { $0 })
  }
  return ErasedSequence(
    FlowSequence(FlowPlan(machine: MergeMachine(count: sources.count), sources: sources))
  )
}
