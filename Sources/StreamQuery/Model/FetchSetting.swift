/// What a caller says about how to fetch, in addition to its query, such as how many pages.
///
/// Only the feature that made the query knows what it means. Like the query, it is kept for the
/// entry's refetches until another caller says how to fetch.
struct FetchSetting: Equatable, Sendable {
  let rawValue: Int
}
