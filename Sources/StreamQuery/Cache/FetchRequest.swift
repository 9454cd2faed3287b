/// What a caller asks of an entry's machine.
struct FetchRequest {
  var cause: FetchCause
  /// Whether a running fetch is replaced if there is data.
  var isSuperseding = false
  /// Whether the client itself wants the fetch.
  var hasClientLease = false
  /// What to fetch.
  var part = FetchPart.whole
  /// Whether an answer will do that began before an invalidation.
  var acceptsOlder = false
  /// What the caller says about how to fetch, if anything.
  var setting: FetchSetting?
  /// What the caller accepts instead of an answer, if anything.
  var allowance: StaleAllowance?
}
