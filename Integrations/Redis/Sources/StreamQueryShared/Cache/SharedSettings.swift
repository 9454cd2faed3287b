internal import StreamQuery

/// The settings with which a query is shared.
struct SharedSettings: Sendable {
  var tags: [String]
  var form: String
  var maxAge: Duration?
}

/// Attaches the settings to the query, because a write needs them.
enum SharedSettingsKey: QueryMetaKey {
  static let defaultValue: SharedSettings? = nil
}
