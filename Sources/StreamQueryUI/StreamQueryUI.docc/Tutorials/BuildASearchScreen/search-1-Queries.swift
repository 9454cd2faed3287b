import StreamQuery

extension Query<[User]> {
  static func people(
    named text: String,
    from api: any API
  ) -> Self {
    Query("people", text) { try await api.search(text) }
  }
}
