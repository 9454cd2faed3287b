/// An object that a feature attaches to the queries it makes, such as the rule for the next page.
///
/// The cache passes this object from the query to the results without looking at it. The object may hold user
/// code, but not the fetch function: results hold the object, and would retain what that function captured.
typealias QueryFeature = any AnyObject & Sendable

/// The part of a value that a fetch fetches: the whole, or a part that a feature adds to it.
///
/// The features that fetch in parts name the parts in extensions. The cache only distinguishes the whole from
/// a part. A part has one byte, because every entry and every snapshot stores one.
package struct FetchPart: Equatable, Sendable {
  /// The whole value, which replaces the cached one.
  package static var whole: FetchPart { FetchPart(rawValue: 0) }

  let rawValue: UInt8
}

/// An option of a fetch that a caller gives beside the query, such as the number of pages.
///
/// Only the feature that made the query understands this option. Like the query, the option is kept for the
/// entry's refetches until another caller gives one.
struct FetchSetting: Equatable, Sendable {
  let rawValue: Int
}

/// The progress that a fetch keeps from attempt to attempt until its value is cached.
///
/// The features that fetch in parts define it; the cache and the client only pass it on. The progress is a
/// class, because each fetch has an optional one, and copying an existential of any type costs a call.
protocol FetchProgress: AnyObject, Sendable {
  /// Returns the progress that a restarted fetch can use; `nil` if all of it is outdated.
  func restarted() -> (any FetchProgress)?

  /// Returns the progress for another call of the fetch in the same attempt, after a call that was
  /// answered.
  ///
  /// - Parameter start: The progress when the attempt began.
  /// - Returns: The progress for that call.
  func repeated(from start: (any FetchProgress)?) -> (any FetchProgress)?

  /// Whether the next attempt continues from this progress, so that the answer has parts from an
  /// earlier attempt.
  var isKeptForRetry: Bool { get }

  /// Whether the fetched value is joined with the data that is cached by then, so that no update is lost.
  var joins: Bool { get }

  /// Joins the fetched value with the cached data.
  ///
  /// This is called outside the lock, and again if the data changed meanwhile.
  ///
  /// - Parameter present: The cached data; `nil` if there is none.
  /// - Returns: The value to cache; `nil` for the fetched one.
  func landed(on present: ValueBox?) -> ValueBox?
}

extension FetchProgress {
  var isKeptForRetry: Bool { false }

  func restarted() -> (any FetchProgress)? { nil }

  func repeated(from start: (any FetchProgress)?) -> (any FetchProgress)? { start }
}

/// The initial data of a query, as the cache keeps it: an object that only the client evaluates.
///
/// The client casts the object to a `DefinitionExtras.InitialDataSource`. An entry keeps the object for
/// resets, without the fetch of the query that brought it.
typealias StoredInitialData = any AnyObject & Sendable

/// The client, as code of lower layers sees it: that code passes the client on to user code, and never
/// calls it.
protocol CarriedClient: AnyObject, Sendable {}
