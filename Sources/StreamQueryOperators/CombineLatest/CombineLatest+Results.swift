public import StreamQuery

/// Combines the results of two queries of one client: one tuple for each turn of its cache.
///
/// A call that changes both shows as one change, so that a screen never sees one key after a turn
/// and the other before it. The first tuple comes at once, with the state of both.
///
/// ```swift
/// for await (user, repos) in combineLatest(
///   client.results(of: .user(1)), client.results(of: .repos(1))
/// ) {
///   show(user, repos)
/// }
/// ```
///
/// - Finish: when the client is shut down.
/// - Failure: none; an error is part of a result.
/// - Cancellation: ends with `nil`, and all observations end.
/// - Buffering: none, and no task: it stays on the consumer's actor.
///
/// Results of different clients have no turn in common: they are combined as any sequences are,
/// each with a task.
///
/// - Parameters:
///   - a: The results of the first query.
///   - b: The results of the second query.
/// - Returns: A sequence of tuples.
public func combineLatest<A, B>(
  _ a: QueryResults<A>,
  _ b: QueryResults<B>
) -> ErasedSequence<(QueryResult<A>, QueryResult<B>), Never> {
  combined(a, b)
}

/// Combines the results of three queries of one client: one tuple for each turn of its cache.
///
/// As the combination of two.
///
/// - Parameters:
///   - a: The results of the first query.
///   - b: The results of the second query.
///   - c: The results of the third query.
/// - Returns: A sequence of tuples.
public func combineLatest<A, B, C>(
  _ a: QueryResults<A>,
  _ b: QueryResults<B>,
  _ c: QueryResults<C>
) -> ErasedSequence<(QueryResult<A>, QueryResult<B>, QueryResult<C>), Never> {
  combined(a, b, c)
}

/// Combines the results of four queries of one client: one tuple for each turn of its cache.
///
/// As the combination of two.
///
/// - Parameters:
///   - a: The results of the first query.
///   - b: The results of the second query.
///   - c: The results of the third query.
///   - d: The results of the fourth query.
/// - Returns: A sequence of tuples.
public func combineLatest<A, B, C, D>(
  _ a: QueryResults<A>,
  _ b: QueryResults<B>,
  _ c: QueryResults<C>,
  _ d: QueryResults<D>
) -> ErasedSequence<(QueryResult<A>, QueryResult<B>, QueryResult<C>, QueryResult<D>), Never> {
  combined(a, b, c, d)
}

/// Combines the results of five queries of one client: one tuple for each turn of its cache.
///
/// As the combination of two.
///
/// - Parameters:
///   - a: The results of the first query.
///   - b: The results of the second query.
///   - c: The results of the third query.
///   - d: The results of the fourth query.
///   - e: The results of the fifth query.
/// - Returns: A sequence of tuples.
public func combineLatest<A, B, C, D, E>(
  _ a: QueryResults<A>,
  _ b: QueryResults<B>,
  _ c: QueryResults<C>,
  _ d: QueryResults<D>,
  _ e: QueryResults<E>
) -> ErasedSequence<
  (QueryResult<A>, QueryResult<B>, QueryResult<C>, QueryResult<D>, QueryResult<E>), Never
> {
  combined(a, b, c, d, e)
}

/// Combines the results of six queries of one client: one tuple for each turn of its cache.
///
/// As the combination of two.
///
/// - Parameters:
///   - a: The results of the first query.
///   - b: The results of the second query.
///   - c: The results of the third query.
///   - d: The results of the fourth query.
///   - e: The results of the fifth query.
///   - f: The results of the sixth query.
/// - Returns: A sequence of tuples.
public func combineLatest<A, B, C, D, E, F>(
  _ a: QueryResults<A>,
  _ b: QueryResults<B>,
  _ c: QueryResults<C>,
  _ d: QueryResults<D>,
  _ e: QueryResults<E>,
  _ f: QueryResults<F>
) -> ErasedSequence<
  (QueryResult<A>, QueryResult<B>, QueryResult<C>, QueryResult<D>, QueryResult<E>, QueryResult<F>),
  Never
> {
  combined(a, b, c, d, e, f)
}

/// Combines the results of any number of queries of one type of one client into one array, in the
/// order of the list.
///
/// As the combination of two. With no query at all, one empty array comes, then the end.
///
/// - Complexity: O(*n*) per array.
/// - Parameter results: The results of each query.
/// - Returns: A sequence of arrays, each as long as the list.
public func combineLatest<Value>(
  _ results: [QueryResults<Value>]
) -> ErasedSequence<[QueryResult<Value>], Never> {
  typealias Joint = JointSequence<[QueryResult<Value>]>
  let joint = Joint {
    let latest = results.map { _ in LatestValue<QueryResult<Value>>() }
    return Joint.Inputs(
      members: zip(results, latest).map { Joint.Member($0, $1) },
      combined: { try? latest.map { try $0.get() } }
    )
  }
  return ErasedSequence(joint)
}

/// What all forms for tuples have in common.
private func combined<each Value>(
  _ results: repeat QueryResults<each Value>
) -> ErasedSequence<(repeat QueryResult<each Value>), Never> {
  typealias Joint = JointSequence<(repeat QueryResult<each Value>)>
  let joint = Joint {
    let latest = (repeat LatestValue<QueryResult<each Value>>())
    var members: [Joint.Member] = []
    for (results, value) in repeat (each results, each latest) {
      members.append(Joint.Member(results, value))
    }
    return Joint.Inputs(members: members, combined: { try? (repeat (each latest).get()) })
  }
  return ErasedSequence(joint)
}
