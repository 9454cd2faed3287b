@_spi(Adapters) internal import StreamQuery

// Calls that wait for a fetch.
extension _QueryObjectMembers {
  /// Returns the first value: at once if there is data, otherwise the value of the next fetch that ends.
  ///
  /// Cached data of any age counts; a placeholder does not.
  ///
  /// - Returns: The data, or the selection from it.
  /// - Throws: The error of the fetch if there is no data; `CancellationError` if the caller is
  ///   cancelled or the client is shut down; ``ObservationError/noClient`` if the object does not
  ///   observe.
  public func firstValue() async throws -> Value {
    guard let client else { throw ObservationError.noClient }
    // Changes that were not delivered yet, and the end of the client, are shown before the result is read.
    arrivedNow()
    // Only a shutdown of the client leaves an object with a client and without an observer. Its old data is
    // not returned: the loop below ends at once, and this function throws `CancellationError`.
    let present = present.shown
    if observer != nil, let data = present.data, !present.isPlaceholderData { return data }
    var machine = machine
    // These results come from another observer. A copy of `machine` takes them, so that the object still
    // shows its own.
    let options = MainActorDelivery.options(options, for: client)
    for await result in client.results(of: query, options: options) {
      if let arrival = machine.arrived(result) { machine.apply(arrival) }
      let shown = machine.shown
      if let data = shown.data, !shown.isPlaceholderData { return data }
      if let error = shown.error, !shown.isFetching { throw error }
      // In a preview, no further result comes.
      if delivery?.prepared != nil { break }
    }
    throw CancellationError()
  }

  /// Fetches again and waits; the result of a running fetch is not used.
  func restart() async -> QueryResult<Value> {
    _ = try? await withObserver { try await $0.refetchAnew() }
    return present.shown
  }

  func withObserver<Result>(
    _ body: (QueryObserver<Stored>) async throws -> Result
  ) async rethrows -> Result? {
    guard let observer = commanded else { return nil }
    let result = try await body(observer)
    arrivedNow()
    return result
  }
}
