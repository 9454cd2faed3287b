public import StreamQuery

nonisolated extension QueryClient {
  /// Calls a closure with the results of a query for as long as an object lives: for UIKit, AppKit
  /// and other imperative code.
  ///
  /// The closure is called at once with the cached state, and then with each newer state, on the main actor.
  /// After any number of writes while that is busy, it is called once, with the newest state.
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
  /// On Apple's systems the observation ends when the object is released. Elsewhere it ends with the next
  /// change that the client reports on the main actor, or at the latest after twice the time of the
  /// observation. The closure is stored, so capture the object weakly.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - owner: The object.
  ///   - options: Options of the observer, over those of the query.
  ///   - show: Shows a result.
  /// - Returns: A handle that ends the observation before the object does.
  @MainActor
  @discardableResult
  public func observe<Value>(
    _ query: Query<Value>,
    on owner: AnyObject,
    options: ObserverOptions? = nil,
    _ show: @escaping @MainActor (QueryResult<Value>) -> Void
  ) -> ObjectObservation {
    let observation = ObjectObservation(owner, delivery: MainActorDelivery.of(self))
    // If this is the client of a preview, the options let the prepared state show.
    observation.begin(
      observer(of: query, options: MainActorDelivery.options(options, for: self)),
      show
    )
    return observation
  }
}
