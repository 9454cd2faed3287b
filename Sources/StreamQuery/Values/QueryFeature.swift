/// What the feature that made a query knows about its values, such as how pages follow each other.
///
/// The cache carries it from the query to the results and does not know what it is. It may hold user
/// code, but not the fetch: whoever keeps a result would keep all that the fetch captured.
typealias QueryFeature = any AnyObject & Sendable

/// What a fetch fetches: the whole value, or a part that a feature adds to it.
///
/// The features that fetch in parts name theirs in extensions; whatever is below them only tells the
/// whole from a part. One byte, because every entry and every snapshot has one.
package struct FetchPart: Equatable, Sendable {
  /// The whole value: whatever was cached is replaced.
  package static var whole: FetchPart { FetchPart(rawValue: 0) }

  let rawValue: UInt8
}

/// What a caller says about how to fetch, in addition to its query, such as how many pages.
///
/// Only the feature that made the query knows what it means. Like the query, it is kept for the
/// entry's refetches until another caller says how to fetch.
struct FetchSetting: Equatable, Sendable {
  let rawValue: Int
}

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

/// What the cache keeps of a query's initial data: an object that only the client evaluates.
///
/// The client takes it back as a `DefinitionExtras.InitialDataSource`. An entry keeps it for its
/// resets, without the fetch of the query that brought it.
typealias StoredInitialData = any AnyObject & Sendable

/// The client, for values below it that pass it on to user code and never call it themselves.
protocol CarriedClient: AnyObject, Sendable {}
