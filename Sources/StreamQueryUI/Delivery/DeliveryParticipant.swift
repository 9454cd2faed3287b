/// An object that shows other state than observed queries, and changes together with them.
@MainActor
protocol DeliveryParticipant: AnyObject {
  /// Shows its pending news.
  ///
  /// - Returns: Whether it wants to look again when others change.
  func look() -> Bool
}
