internal import StreamQuery

/// The settings with which a query is shared.
struct SharedSettings: Sendable {
  var tags: [String]
  var form: String
  var maxAge: Duration?
}

/// Carries the settings with the query, for writes.
enum SharedSettingsKey: QueryMetaKey {
  static let defaultValue: SharedSettings? = nil
}
