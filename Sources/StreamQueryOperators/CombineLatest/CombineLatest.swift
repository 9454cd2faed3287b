/// Combines the newest elements of two sequences into one tuple.
///
/// The first tuple comes when each has produced an element; from then on every element of one gives
/// a tuple with the newest of the others. Elements that a sequence produces before the others have
/// begun are replaced by its newer ones.
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
/// - Buffering: one task per sequence. Each is asked for an element only while the consumer waits
///   and nothing is buffered, so at most one element of each is, and none is left out.
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
/// - Returns: A sequence of tuples.
public func combineLatest<
  A: AsyncSequence & Sendable,
  B: AsyncSequence & Sendable
>(
  _ a: A,
  _ b: B
) -> ErasedSequence<(A.Element, B.Element), A.Failure>
where
  A.Element: Sendable,
  B.Element: Sendable,
  B.Failure == A.Failure
{
  typealias Combination = CombineLatestSequence<Latest2<A.Element, B.Element>, A.Failure>
  return Combination.combining(
    Latest2(),
    [
      Combination.source(a, failure: { $0 }) { $0.a = $1 },
      Combination.source(b, failure: { $0 }) { $0.b = $1 },
    ]
  )
}

/// Combines the newest elements of three sequences into one tuple.
///
/// As the combination of two sequences.
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
///   - c: The third sequence.
/// - Returns: A sequence of tuples.
public func combineLatest<
  A: AsyncSequence & Sendable,
  B: AsyncSequence & Sendable,
  C: AsyncSequence & Sendable
>(
  _ a: A,
  _ b: B,
  _ c: C
) -> ErasedSequence<(A.Element, B.Element, C.Element), A.Failure>
where
  A.Element: Sendable,
  B.Element: Sendable,
  C.Element: Sendable,
  B.Failure == A.Failure,
  C.Failure == A.Failure
{
  typealias Combination = CombineLatestSequence<Latest3<A.Element, B.Element, C.Element>, A.Failure>
  return Combination.combining(
    Latest3(),
    [
      Combination.source(a, failure: { $0 }) { $0.a = $1 },
      Combination.source(b, failure: { $0 }) { $0.b = $1 },
      Combination.source(c, failure: { $0 }) { $0.c = $1 },
    ]
  )
}

/// Combines the newest elements of four sequences into one tuple.
///
/// As the combination of two sequences.
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
///   - c: The third sequence.
///   - d: The fourth sequence.
/// - Returns: A sequence of tuples.
public func combineLatest<
  A: AsyncSequence & Sendable,
  B: AsyncSequence & Sendable,
  C: AsyncSequence & Sendable,
  D: AsyncSequence & Sendable
>(
  _ a: A,
  _ b: B,
  _ c: C,
  _ d: D
) -> ErasedSequence<(A.Element, B.Element, C.Element, D.Element), A.Failure>
where
  A.Element: Sendable,
  B.Element: Sendable,
  C.Element: Sendable,
  D.Element: Sendable,
  B.Failure == A.Failure,
  C.Failure == A.Failure,
  D.Failure == A.Failure
{
  typealias Values = Latest4<
    A.Element, B.Element, C.Element, D.Element
  >
  typealias Combination = CombineLatestSequence<Values, A.Failure>
  return Combination.combining(
    Latest4(),
    [
      Combination.source(a, failure: { $0 }) { $0.a = $1 },
      Combination.source(b, failure: { $0 }) { $0.b = $1 },
      Combination.source(c, failure: { $0 }) { $0.c = $1 },
      Combination.source(d, failure: { $0 }) { $0.d = $1 },
    ]
  )
}

/// Combines the newest elements of five sequences into one tuple.
///
/// As the combination of two sequences.
///
/// - Parameters:
///   - a: The first sequence.
///   - b: The second sequence.
///   - c: The third sequence.
///   - d: The fourth sequence.
///   - e: The fifth sequence.
/// - Returns: A sequence of tuples.
public func combineLatest<
  A: AsyncSequence & Sendable,
  B: AsyncSequence & Sendable,
  C: AsyncSequence & Sendable,
  D: AsyncSequence & Sendable,
  E: AsyncSequence & Sendable
>(
  _ a: A,
  _ b: B,
  _ c: C,
  _ d: D,
  _ e: E
) -> ErasedSequence<(A.Element, B.Element, C.Element, D.Element, E.Element), A.Failure>
where
  A.Element: Sendable,
  B.Element: Sendable,
  C.Element: Sendable,
  D.Element: Sendable,
  E.Element: Sendable,
  B.Failure == A.Failure,
  C.Failure == A.Failure,
  D.Failure == A.Failure,
  E.Failure == A.Failure
{
  typealias Values = Latest5<
    A.Element, B.Element, C.Element, D.Element, E.Element
  >
  typealias Combination = CombineLatestSequence<Values, A.Failure>
  return Combination.combining(
    Latest5(),
    [
      Combination.source(a, failure: { $0 }) { $0.a = $1 },
      Combination.source(b, failure: { $0 }) { $0.b = $1 },
      Combination.source(c, failure: { $0 }) { $0.c = $1 },
      Combination.source(d, failure: { $0 }) { $0.d = $1 },
      Combination.source(e, failure: { $0 }) { $0.e = $1 },
    ]
  )
}

/// Combines the newest elements of six sequences into one tuple.
///
/// As the combination of two sequences.
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
  A: AsyncSequence & Sendable,
  B: AsyncSequence & Sendable,
  C: AsyncSequence & Sendable,
  D: AsyncSequence & Sendable,
  E: AsyncSequence & Sendable,
  F: AsyncSequence & Sendable
>(
  _ a: A,
  _ b: B,
  _ c: C,
  _ d: D,
  _ e: E,
  _ f: F
) -> ErasedSequence<
  (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element), A.Failure
>
where
  A.Element: Sendable,
  B.Element: Sendable,
  C.Element: Sendable,
  D.Element: Sendable,
  E.Element: Sendable,
  F.Element: Sendable,
  B.Failure == A.Failure,
  C.Failure == A.Failure,
  D.Failure == A.Failure,
  E.Failure == A.Failure,
  F.Failure == A.Failure
{
  typealias Values = Latest6<
    A.Element, B.Element, C.Element, D.Element, E.Element, F.Element
  >
  typealias Combination = CombineLatestSequence<Values, A.Failure>
  return Combination.combining(
    Latest6(),
    [
      Combination.source(a, failure: { $0 }) { $0.a = $1 },
      Combination.source(b, failure: { $0 }) { $0.b = $1 },
      Combination.source(c, failure: { $0 }) { $0.c = $1 },
      Combination.source(d, failure: { $0 }) { $0.d = $1 },
      Combination.source(e, failure: { $0 }) { $0.e = $1 },
      Combination.source(f, failure: { $0 }) { $0.f = $1 },
    ]
  )
}

/// Combines the newest elements of any number of sequences of one type into one array, in the
/// order of the sequences.
///
/// As the combination of two sequences. With no sequence at all, all of them have an element: one
/// empty array comes, then the end.
///
/// - Complexity: O(*n*) per array.
/// - Parameter sequences: The sequences.
/// - Returns: A sequence of arrays, each as long as the list of sequences.
public func combineLatest<Base: AsyncSequence & Sendable>(
  _ sequences: [Base]
) -> ErasedSequence<[Base.Element], Base.Failure> where Base.Element: Sendable {
  typealias Combination = CombineLatestSequence<LatestArray<Base.Element>, Base.Failure>
  return Combination.combining(
    LatestArray(count: sequences.count),
    sequences.enumerated().map { index, base in
      Combination.source(base, failure: { $0 }) { $0.update($1, at: index) }
    }
  )
}
