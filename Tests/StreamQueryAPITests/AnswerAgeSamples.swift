@_spi(Adapters) @_spi(SharedCache) import StreamQuery

/// Answers of another cache, which have an age.
func answersOfAnotherCache(_ client: QueryClient) -> Query<Int> {
  let query = Query<Int>("rate") { context in
    context.answer(isOld: .seconds(12))
    context.answer(isOld: .seconds(12), isOutdated: true)
    let answer: FetchAnswer = context.upcomingAnswer
    if !answer.hasLanded { answer.markOutdated() }
    if let limit: Duration = context.timeout { print("at most \(limit)") }
    if let time: Duration = context.timeSinceInvalidation, time < .seconds(12) { return 3 }
    if let late: QueryError = context.timeoutError { throw late }
    return context.answerAge > .zero ? 1 : 2
  }
  client.noteInvalidations()
  client.markInvalidated(.query(query))
  client.markInvalidated("rate", refetch: .never, superseding: false)
  client.markInvalidated(.any(of: [.query(query), .prefix("rates", "old")]))
  _ = client.nextRandom()
  let deadlines: Deadlines = client.deadlines
  let deadline: Deadline? = deadlines.set(after: .seconds(2)) { print("late") }
  deadline?.cancel()
  return query.aroundFetch { context, fetch in
    switch context.demand {
    case .fresh where context.staleTime > .zero: try await fetch()
    case .fresh, .afterInvalidation, .latest: try await fetch() + 1
    }
  }
}
