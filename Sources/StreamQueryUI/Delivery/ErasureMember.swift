/// An object that shows data of a client, and has to forget that data when the client is erased.
@MainActor
protocol ErasureMember: AnyObject {
  /// Makes the object forget the data of an erased client.
  ///
  /// - Parameter delivery: The delivery of that client; by now the object may show data of another client.
  func forget(_ delivery: MainActorDelivery)
}
