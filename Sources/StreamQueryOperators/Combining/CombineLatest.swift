// The functions below differ only in the number of sequences. One form with a parameter pack could replace
// them, but with the tuples of Swift 6.3 the most frequent call, `.map { user, repos in user.data?.name }`,
// "failed to produce diagnostic". Try again with a newer compiler.

/// Combines the newest elements of two sequences into one tuple.
///
/// The first tuple comes when each sequence has produced an element. After that, every element of a sequence
/// gives a tuple with the newest elements of the others. Until the first tuple, newer elements replace older
/// ones.
///
/// ```swift
/// for await (user, repos) in combineLatest(client.stream(.user(1)), client.stream(.repos(1))) {
///   show(user, repos)
/// }
/// ```
///
/// - Finish: when all have finished, or one finishes without an element.
/// - Failure: the first failure stops the others; tuples of elements that came before it are
///   delivered first.
/// - Cancellation: ends with `nil`; the tasks that iterate are cancelled.
/// - Buffering: one task per sequence. Each sequence is asked for an element only while the consumer waits
///   and no element is buffered. So at most one element of each is buffered, and none is omitted.
///
/// Sequences `client.results(of:)` of one client are combined without a task, on the consumer's actor, with
/// one tuple for each transaction of the cache. A call that changes several keys shows as one change, so that
/// a screen never sees one key after a transaction and another before it. The first tuple comes at once, with
/// the state of all queries.
///
/// ```swift
/// for await (user, repos) in combineLatest(
///   client.results(of: .user(1)), client.results(of: .repos(1))
/// ) {
///   show(user, repos)
/// }
/// ```
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
/// - Returns: A sequence of tuples.
public func combineLatest<A: Sendable, B: Sendable, Failure>(
  _ a: any AsyncSequence<A, Failure> & Sendable,
  _ b: any AsyncSequence<B, Failure> & Sendable
) -> ErasedSequence<(A, B), Failure> {
  combined(a, b)
}

/// Combines the newest elements of three sequences into one tuple.
///
/// The returned sequence behaves like that for two sequences.
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
///   - c: The third sequence.
/// - Returns: A sequence of tuples.
public func combineLatest<A: Sendable, B: Sendable, C: Sendable, Failure>(
  _ a: any AsyncSequence<A, Failure> & Sendable,
  _ b: any AsyncSequence<B, Failure> & Sendable,
  _ c: any AsyncSequence<C, Failure> & Sendable
) -> ErasedSequence<(A, B, C), Failure> {
  combined(a, b, c)
}

/// Combines the newest elements of four sequences into one tuple.
///
/// The returned sequence behaves like that for two sequences.
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
///   - c: The third sequence.
///   - d: The fourth sequence.
/// - Returns: A sequence of tuples.
public func combineLatest<A: Sendable, B: Sendable, C: Sendable, D: Sendable, Failure>(
  _ a: any AsyncSequence<A, Failure> & Sendable,
  _ b: any AsyncSequence<B, Failure> & Sendable,
  _ c: any AsyncSequence<C, Failure> & Sendable,
  _ d: any AsyncSequence<D, Failure> & Sendable
) -> ErasedSequence<(A, B, C, D), Failure> {
  combined(a, b, c, d)
}

/// Combines the newest elements of five sequences into one tuple.
///
/// The returned sequence behaves like that for two sequences.
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
///   - c: The third sequence.
///   - d: The fourth sequence.
///   - e: The fifth sequence.
/// - Returns: A sequence of tuples.
public func combineLatest<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, Failure>(
  _ a: any AsyncSequence<A, Failure> & Sendable,
  _ b: any AsyncSequence<B, Failure> & Sendable,
  _ c: any AsyncSequence<C, Failure> & Sendable,
  _ d: any AsyncSequence<D, Failure> & Sendable,
  _ e: any AsyncSequence<E, Failure> & Sendable
) -> ErasedSequence<(A, B, C, D, E), Failure> {
  combined(a, b, c, d, e)
}

/// Combines the newest elements of six sequences into one tuple.
///
/// The returned sequence behaves like that for two sequences.
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
///   - c: The third sequence.
///   - d: The fourth sequence.
///   - e: The fifth sequence.
///   - f: The sixth sequence.
/// - Returns: A sequence of tuples.
public func combineLatest<
  A: Sendable,
  B: Sendable,
  C: Sendable,
  D: Sendable,
  E: Sendable,
  F: Sendable,
  Failure
>(
  _ a: any AsyncSequence<A, Failure> & Sendable,
  _ b: any AsyncSequence<B, Failure> & Sendable,
  _ c: any AsyncSequence<C, Failure> & Sendable,
  _ d: any AsyncSequence<D, Failure> & Sendable,
  _ e: any AsyncSequence<E, Failure> & Sendable,
  _ f: any AsyncSequence<F, Failure> & Sendable
) -> ErasedSequence<(A, B, C, D, E, F), Failure> {
  combined(a, b, c, d, e, f)
}

/// Combines the newest elements of sequences of one type into an array, in the order of the sequences.
///
/// The returned sequence behaves like that for two sequences. For an empty list, it delivers one empty array
/// and ends.
///
/// - Complexity: O(*n*) per array.
/// - Parameter sequences: The sequences.
/// - Returns: A sequence of arrays, each as long as the list of sequences.
public func combineLatest<Base: AsyncSequence & Sendable>(
  _ sequences: [Base]
) -> ErasedSequence<[Base.Element], Base.Failure> where Base.Element: Sendable {
  CombineLatestSequence.combining(sequences)
}

/// Combines sequences of one failure type into tuples, for all forms above.
private func combined<each Element: Sendable, Failure>(
  _ sequences: repeat any AsyncSequence<each Element, Failure> & Sendable
) -> ErasedSequence<(repeat each Element), Failure> {
  CombineLatestSequence.combining(repeat CombinedPart.noting(each sequences) { $0 })
}
