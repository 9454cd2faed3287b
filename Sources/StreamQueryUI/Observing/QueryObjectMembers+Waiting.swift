internal import StreamQuery

// Calls that wait for a fetch.
extension _QueryObjectMembers {
  /// Returns the first value: at once if there is data, otherwise that of the next fetch that ends.
  ///
  /// Cached data of any age counts; a placeholder does not.
  ///
  /// - Returns: The data, or the selection of it.
  /// - Throws: The error of the fetch if there is no data; `CancellationError` if the caller is
  ///   cancelled or the client is shut down; ``ObservationError/noClient`` if the object does not
  ///   observe.
  public func firstValue() async throws -> Value {
    guard let client else { throw ObservationError.noClient }
    // Changes that the delivery has not brought yet, or the end of the client, must arrive before
    // the result is read.
    arrivedNow()
    // Another observer may begin a request.
    let present = present.shown
    if observer != nil, let data = present.data, !present.isPlaceholderData { return data }
    var machine = machine
    // This is an observer of its own: results that are taken here must not be missing in the
    // object.
    let options = MainActorDelivery.options(options, for: client)
    for await result in client.results(of: query, options: options) {
      if let arrival = machine.arrived(result) { machine.apply(arrival) }
      let shown = machine.shown
      if let data = shown.data, !shown.isPlaceholderData { return data }
      if let error = shown.error, !shown.isFetching { throw error }
      // No result comes in a preview.
      if delivery?.prepared != nil { break }
    }
    throw CancellationError()
  }

  /// Fetches anew; a running fetch does not land.
  func restart() async -> QueryResult<Value> {
    cancelFirstFetch()
    return await refetch()
  }

  /// Cancels a first fetch, which a refetch would join because there is no data.
  func cancelFirstFetch() {
    let stored = present.stored
    let joins = stored.data == nil || stored.isPlaceholderData
    if joins, delivery?.prepared == nil { client?.cancel(query) }
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
