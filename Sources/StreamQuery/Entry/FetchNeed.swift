/// Which cached data a caller accepts that asks for a value.
enum FetchNeed: Sendable {
  case ifStale
  case ifMissing
  /// As `ifMissing`, and stale data is refetched in the background.
  case ifMissingElseRevalidate
  /// None: it asks for a new answer.
  case always
}
