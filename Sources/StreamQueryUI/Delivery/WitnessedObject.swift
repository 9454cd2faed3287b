/// An observed object that may have a witness.
@MainActor
protocol WitnessedObject: AnyObject {
  /// The witness, which is not retained.
  var witness: (any ReaderWitness)? { get set }
}
