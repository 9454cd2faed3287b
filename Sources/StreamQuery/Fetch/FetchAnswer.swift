/// The answer of an attempt: ``FetchContext/upcomingAnswer``.
///
/// Between the return of the attempt and the moment in which the answer becomes the data, something
/// may change, and the fetch may be cancelled. Whoever learns of changes keeps this, and says and
/// asks here. It keeps neither the client nor the query alive.
public struct FetchAnswer: Sendable {
  let slot: AnswerSlot
  let attempt: Int

  /// Says that something has changed since.
  ///
  /// If the answer is not the data yet, it lands like data that was invalidated: it is shown and
  /// returned, and stale. If it is, nothing happens: invalidate the data after this call, with
  /// ``QueryClient/markInvalidated(_:refetch:superseding:)`` and without superseding. Together they
  /// miss no answer, and cancel no caller: if the invalidation asks for a refetch before the answer
  /// lands, one more fetch follows it while there is an enabled observer. Of an endless stream this is
  /// about the first element: each later one is an answer by itself, and counts as new.
  public func markOutdated() { slot.outdated(attempt) }

  /// Whether the answer became the data, which may have changed since; `false` if that is yet to
  /// come, and for ever if the fetch was cancelled or replaced.
  public var hasLanded: Bool { slot.hasLanded(attempt) }
}
