/// An object that shows data of a client, and forgets it when the client is erased.
@MainActor
protocol ErasureMember: AnyObject {
  /// A client was erased: nothing of it may be shown any more.
  ///
  /// - Parameter pump: That of the client; the member may show another one's data by now.
  func forget(_ pump: Pump)
}
