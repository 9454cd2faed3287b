/// Combines two sequences that fail with different errors, or of which some cannot fail.
///
/// The returned sequence behaves as if all had one failure type, except that it may throw any error.
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
/// - Returns: A sequence of tuples.
@_disfavoredOverload
public func combineLatest<A: Sendable, B: Sendable>(
  _ a: any AsyncSequence<A, some Error> & Sendable,
  _ b: any AsyncSequence<B, some Error> & Sendable
) -> ErasedSequence<(A, B), any Error> {
  combined(a, b)
}

/// Combines three sequences that fail with different errors, or of which some cannot fail.
///
/// The returned sequence behaves as if all had one failure type, except that it may throw any error.
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
///   - c: The third sequence.
/// - Returns: A sequence of tuples.
@_disfavoredOverload
public func combineLatest<A: Sendable, B: Sendable, C: Sendable>(
  _ a: any AsyncSequence<A, some Error> & Sendable,
  _ b: any AsyncSequence<B, some Error> & Sendable,
  _ c: any AsyncSequence<C, some Error> & Sendable
) -> ErasedSequence<(A, B, C), any Error> {
  combined(a, b, c)
}

/// Combines four sequences that fail with different errors, or of which some cannot fail.
///
/// The returned sequence behaves as if all had one failure type, except that it may throw any error.
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
///   - c: The third sequence.
///   - d: The fourth sequence.
/// - Returns: A sequence of tuples.
@_disfavoredOverload
public func combineLatest<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
  _ a: any AsyncSequence<A, some Error> & Sendable,
  _ b: any AsyncSequence<B, some Error> & Sendable,
  _ c: any AsyncSequence<C, some Error> & Sendable,
  _ d: any AsyncSequence<D, some Error> & Sendable
) -> ErasedSequence<(A, B, C, D), any Error> {
  combined(a, b, c, d)
}

/// Combines five sequences that fail with different errors, or of which some cannot fail.
///
/// The returned sequence behaves as if all had one failure type, except that it may throw any error.
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
///   - c: The third sequence.
///   - d: The fourth sequence.
///   - e: The fifth sequence.
/// - Returns: A sequence of tuples.
@_disfavoredOverload
public func combineLatest<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
  _ a: any AsyncSequence<A, some Error> & Sendable,
  _ b: any AsyncSequence<B, some Error> & Sendable,
  _ c: any AsyncSequence<C, some Error> & Sendable,
  _ d: any AsyncSequence<D, some Error> & Sendable,
  _ e: any AsyncSequence<E, some Error> & Sendable
) -> ErasedSequence<(A, B, C, D, E), any Error> {
  combined(a, b, c, d, e)
}

/// Combines six sequences that fail with different errors, or of which some cannot fail.
///
/// The returned sequence behaves as if all had one failure type, except that it may throw any error.
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
///   - c: The third sequence.
///   - d: The fourth sequence.
///   - e: The fifth sequence.
///   - f: The sixth sequence.
/// - Returns: A sequence of tuples.
@_disfavoredOverload
public func combineLatest<
  A: Sendable,
  B: Sendable,
  C: Sendable,
  D: Sendable,
  E: Sendable,
  F: Sendable
>(
  _ a: any AsyncSequence<A, some Error> & Sendable,
  _ b: any AsyncSequence<B, some Error> & Sendable,
  _ c: any AsyncSequence<C, some Error> & Sendable,
  _ d: any AsyncSequence<D, some Error> & Sendable,
  _ e: any AsyncSequence<E, some Error> & Sendable,
  _ f: any AsyncSequence<F, some Error> & Sendable
) -> ErasedSequence<(A, B, C, D, E, F), any Error> {
  combined(a, b, c, d, e, f)
}

/// Combines sequences of any failures, for all forms above.
private func combined<each Element: Sendable, each Failure: Error>(
  _ sequences: repeat any AsyncSequence<each Element, each Failure> & Sendable
) -> ErasedSequence<(repeat each Element), any Error> {
  CombineLatestSequence.combining(
    repeat CombinedPart<any Error>.noting(each sequences, failure: { $0 })
  )
}
