internal import StreamQuery

/// One of the sequences that an iterator of `combineLatest` combines.
struct CombinedPart<Failure: Error> {
  typealias Definition = OperatorDefinition<MergeMachine, @Sendable () -> Void, Failure>

  /// An observer of a query, which can be read together with other observers.
  struct Observer {
    let subscription: Subscription
    /// Stores the observer's snapshot as the newest element.
    let note: @Sendable (EntrySnapshot, QueryFlags) -> Void
    /// Iterates the observer's results in a task; used if the observers belong to several clients.
    let source: Definition.Source
  }

  /// Iterates the sequence in a task of its own.
  let source: Definition.Source
  /// Makes an observer; `nil` unless the sequence has the results of a query.
  let observe: (() -> Observer)?

  /// Returns a function that makes the part for a sequence; the part stores its newest element in a
  /// ``LatestValue``.
  static func noting<Value: Sendable, BaseFailure: Error>(
    _ base: any AsyncSequence<Value, BaseFailure> & Sendable,
    failure: @escaping @Sendable (BaseFailure) -> Failure
  ) -> @Sendable (LatestValue<Value>) -> Self {
    { Self(base, latest: $0, failure: failure) }
  }

  init<Value: Sendable, BaseFailure: Error>(
    _ base: any AsyncSequence<Value, BaseFailure> & Sendable,
    latest: LatestValue<Value>,
    failure: @escaping @Sendable (BaseFailure) -> Failure
  ) {
    source = Definition.source(
      ErasedSequence(base),
      element: { value in { latest.set(value) } },
      failure: failure
    )
    observe = (base as? any ObservableResults)?.observe(latest)
  }
}

/// The results of a query of any value type.
private protocol ObservableResults {
  func observe<Failure>(_ latest: any Sendable) -> (() -> CombinedPart<Failure>.Observer)?
}

extension QueryResults: ObservableResults {
  fileprivate func observe<Failure>(
    _ latest: any Sendable
  ) -> (() -> CombinedPart<Failure>.Observer)? {
    guard let latest = latest as? LatestValue<QueryResult<Value>> else { return nil }
    return {
      let subscription = makeSubscription()
      return CombinedPart<Failure>.Observer(
        subscription: subscription,
        note: { latest.set(QueryResult(snapshot: $0, flags: $1)) },
        source: CombinedPart<Failure>.Definition.source(
          observed(by: subscription),
          element: { result in { latest.set(result) } },
          failure: CombinedPart<Failure>.Definition.impossible
        )
      )
    }
  }
}
