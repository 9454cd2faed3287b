extension ResetCondition {
  /// Runs user code: never call it under the lock.
  var answered: (revision: UInt32, answers: [Answer]) {
    (
      revision,
      queries.map { observer, query in
        let options = query.resolved.resolvedOptions { info }
        return Answer(observer: observer, query: query, resolvedOptions: options)
      }
    )
  }
}
