/// How far the attempts of a fetch got, for the next attempt and for the landing.
///
/// The features that fetch in parts implement it; the cache and the client only pass it on.
///
/// An object: each fetch holds one optionally, and a bare existential is copied at run time.
protocol FetchProgress: AnyObject, Sendable {
  /// The part that a restarted fetch can use; `nil` if all of it is outdated.
  func restarted() -> (any FetchProgress)?

  /// Where a further call of the fetch within the attempt begins, after one that had an answer.
  ///
  /// - Parameter start: How far the fetch had got when the attempt began.
  /// - Returns: How far it has got for that call.
  func repeated(from start: (any FetchProgress)?) -> (any FetchProgress)?

  /// Whether the next attempt goes on with it, so that the answer began with an earlier attempt.
  var isKeptForRetry: Bool { get }

  /// Whether the value is joined with the data that is cached when it lands, so that no update is
  /// lost.
  var joins: Bool { get }

  /// The value to cache, if it is joined.
  ///
  /// Runs outside the lock, and again if the data changed.
  ///
  /// - Parameter present: The cached data; `nil` if there is none.
  /// - Returns: The value; `nil` is the fetched one.
  func landed(on present: ValueBox?) -> ValueBox?
}

extension FetchProgress {
  var isKeptForRetry: Bool { false }

  func restarted() -> (any FetchProgress)? { nil }

  func repeated(from start: (any FetchProgress)?) -> (any FetchProgress)? { start }
}
