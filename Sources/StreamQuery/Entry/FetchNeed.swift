/// Which cached data a caller accepts that asks for a value.
enum FetchNeed: Sendable {
  case ifStale
  /// As `ifStale`, and nothing is accepted instead of the fetch's answer.
  case ifStaleOrThrow
  case ifMissing
  /// As `ifMissing`, and stale data is refetched in the background.
  case ifMissingElseRevalidate
  /// None: it asks for a new answer.
  case always
}
