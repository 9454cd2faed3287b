/// An observed object that may have a witness.
@MainActor
protocol WitnessedObject: AnyObject {
  /// It is not retained.
  var witness: (any ReaderWitness)? { get set }
}
