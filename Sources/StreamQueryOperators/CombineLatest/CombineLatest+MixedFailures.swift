/// Combines two sequences that fail with different errors, or of which some cannot fail.
///
/// As the combination of sequences with one failure type, but any error may be thrown.
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
) -> ErasedSequence<(A.Element, B.Element), any Error>
where
  A.Element: Sendable,
  B.Element: Sendable
{
  typealias Combination = CombineLatestSequence<Latest2<A.Element, B.Element>, any Error>
  return Combination.combining(
    Latest2(),
    [
      Combination.source(a, failure: { $0 }) { $0.a = $1 },
      Combination.source(b, failure: { $0 }) { $0.b = $1 },
    ]
  )
}

/// Combines three sequences that fail with different errors, or of which some cannot fail.
///
/// As the combination of sequences with one failure type, but any error may be thrown.
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
) -> ErasedSequence<(A.Element, B.Element, C.Element), any Error>
where
  A.Element: Sendable,
  B.Element: Sendable,
  C.Element: Sendable
{
  typealias Combination = CombineLatestSequence<Latest3<A.Element, B.Element, C.Element>, any Error>
  return Combination.combining(
    Latest3(),
    [
      Combination.source(a, failure: { $0 }) { $0.a = $1 },
      Combination.source(b, failure: { $0 }) { $0.b = $1 },
      Combination.source(c, failure: { $0 }) { $0.c = $1 },
    ]
  )
}

/// Combines four sequences that fail with different errors, or of which some cannot fail.
///
/// As the combination of sequences with one failure type, but any error may be thrown.
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
) -> ErasedSequence<(A.Element, B.Element, C.Element, D.Element), any Error>
where
  A.Element: Sendable,
  B.Element: Sendable,
  C.Element: Sendable,
  D.Element: Sendable
{
  typealias Values = Latest4<
    A.Element, B.Element, C.Element, D.Element
  >
  typealias Combination = CombineLatestSequence<Values, any Error>
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

/// Combines five sequences that fail with different errors, or of which some cannot fail.
///
/// As the combination of sequences with one failure type, but any error may be thrown.
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
) -> ErasedSequence<(A.Element, B.Element, C.Element, D.Element, E.Element), any Error>
where
  A.Element: Sendable,
  B.Element: Sendable,
  C.Element: Sendable,
  D.Element: Sendable,
  E.Element: Sendable
{
  typealias Values = Latest5<
    A.Element, B.Element, C.Element, D.Element, E.Element
  >
  typealias Combination = CombineLatestSequence<Values, any Error>
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

/// Combines six sequences that fail with different errors, or of which some cannot fail.
///
/// As the combination of sequences with one failure type, but any error may be thrown.
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
  (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element), any Error
>
where
  A.Element: Sendable,
  B.Element: Sendable,
  C.Element: Sendable,
  D.Element: Sendable,
  E.Element: Sendable,
  F.Element: Sendable
{
  typealias Values = Latest6<
    A.Element, B.Element, C.Element, D.Element, E.Element, F.Element
  >
  typealias Combination = CombineLatestSequence<Values, any Error>
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
