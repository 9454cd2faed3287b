/// An object that shows data of a client, and forgets it when the client is erased.
@MainActor
protocol ErasureMember: AnyObject {
  /// A client was erased: the member must not show its data any more.
  ///
  /// - Parameter delivery: The delivery of the client; the member may show data of another client by now.
  func forget(_ delivery: MainActorDelivery)
}
