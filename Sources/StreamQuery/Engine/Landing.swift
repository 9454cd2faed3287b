/// How a fetched value becomes the data: joined with what is cached by then, or sharing unchanged
/// parts with it.
struct Landing: Sendable {
  let fetched: ValueBox
  let join: (any FetchProgress)?
  let merge: DefinitionExtras.Merge?

  /// Creates the landing of a value.
  ///
  /// - Parameters:
  ///   - fetched: The value.
  ///   - join: How the fetch joins it with the cached one, so that no update is lost; `nil` if it
  ///     does not.
  ///   - query: How to fetch.
  ///   - key: The key.
  init(
    _ fetched: ValueBox,
    join: (any FetchProgress)?,
    _ query: ResolvedQuery,
    _ key: AnyQueryKey
  ) {
    self.fetched = fetched
    self.join = join
    // A join builds on the cached value, so its result already shares with it.
    merge = join == nil ? query.share(for: key) : query.definition.merge
  }

  /// Whether the value is made from the cached one, and has to be made again if that changes.
  var usesData: Bool { join != nil || merge != nil }

  /// How often it is made.
  ///
  /// A merge is only about sharing and may give up after three rounds; a join keeps an update, and
  /// never gives up.
  var rounds: Int { join == nil ? 3 : .max }

  /// Whether user code runs again until its answer lands, so that it must not change the data that
  /// it waits for.
  var isEndless: Bool { join != nil && merge != nil }

  /// The value that lands.
  ///
  /// It runs user code: never call it under the lock.
  ///
  /// - Parameter present: The cached value.
  /// - Returns: The value.
  func value(over present: ValueBox?) -> ValueBox {
    let joined = join?.landed(on: present) ?? fetched
    guard let present, let merge else { return joined }
    return merge(present, joined)
  }
}
