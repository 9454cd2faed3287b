/// An object that shows something else than observed queries, and changes together with them.
@MainActor
protocol PumpLooker: AnyObject {
  /// Shows what there is to show.
  ///
  /// - Returns: Whether it wants to look again when others change.
  func look() -> Bool
}
