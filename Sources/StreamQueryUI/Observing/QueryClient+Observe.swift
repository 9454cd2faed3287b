public import StreamQuery

nonisolated extension QueryClient {
  /// Calls a closure with the results of a query for as long as an object lives, for UIKit, AppKit and other
  /// imperative code.
  ///
  /// The closure is called on the main actor: at once with the cached state, and then with each newer state.
  /// After any number of writes while the main actor is busy, it is called once, with the newest state.
  ///
  /// ```swift
  /// final class ProfileController {
  ///   @MainActor func viewDidLoad() {
  ///     client.observe(.user(42), on: self) { result in
  ///       show(result.data, refreshing: result.isFetching)
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// On Apple's systems the observation ends when the object is released. On other systems it ends with the
  /// client's next change on the main actor. Without a change it ends at most a second after the release. If
  /// the object was observed for longer than a second, it may end later: the time after the release is at
  /// most the time of the observation before it. The closure is stored, so capture the object weakly.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - owner: The object; the observation ends with it.
  ///   - options: Options of the observer, which take precedence over those of the query.
  ///   - show: Shows a result.
  /// - Returns: A handle that can end the observation earlier.
  @MainActor
  @discardableResult
  public func observe<Value>(
    _ query: Query<Value>,
    on owner: AnyObject,
    options: ObserverOptions? = nil,
    _ show: @escaping @MainActor (QueryResult<Value>) -> Void
  ) -> ObjectObservation {
    let observation = ObjectObservation(owner, delivery: MainActorDelivery.of(self))
    // In the client of a preview, the options disable fetches, so that the prepared state shows.
    observation.begin(
      observer(of: query, options: MainActorDelivery.options(options, for: self)),
      show
    )
    return observation
  }
}
