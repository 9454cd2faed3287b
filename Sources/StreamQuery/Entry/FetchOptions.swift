/// What a machine needs to know about a query to run its fetch.
package struct FetchOptions: Hashable, Sendable {
  /// What happens while offline.
  package var networkMode = NetworkMode.online
  /// What happens to the fetch when nobody wants it.
  package var abandonment = Abandonment.cancel
  /// Whether a failure marks the entry as invalidated.
  package var failureInvalidates = true
  /// Whether a refetch hides the data, so that the entry shows pending again.
  package var resetsData = false
  /// How the answer arrives.
  package var delivery = Delivery.whole

  /// Whether the fetch may show parts of its value before the whole.
  var showsParts: Bool { delivery != .whole }

  /// Creates the default options.
  package init() {}
}
