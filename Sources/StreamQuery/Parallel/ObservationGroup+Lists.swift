extension ObservationGroup {
  /// Adds the observers of a list of queries.
  ///
  /// Their changes say only that something changed: read ``QueryListObserver/results`` then. After
  /// ``QueryListObserver/update(_:)``, remove the former positions and insert the list again.
  ///
  /// - Parameter list: The list.
  /// - Returns: The positions of its queries, in the order of the list.
  public func insert(_ list: QueryListObserver) -> [Int] {
    list.group.ids.map { insert($0, of: list.group.client).position }
  }
}
