/// What a machine needs to know of a plan to run its fetch.
package struct FetchTerms: Hashable, Sendable {
  /// What happens while offline.
  package var networkMode = NetworkMode.online
  /// What becomes of the fetch when nobody wants it.
  package var abandonment = Abandonment.cancel
  /// Whether a failure marks the entry as invalidated.
  package var failureInvalidates = true
  /// Whether a refetch takes the data out of sight: it shows pending again.
  package var resetsData = false
  /// Whether a retry goes on where the attempt before it failed.
  package var keepsProgress = false

  /// Creates the default terms.
  package init() {}
}
