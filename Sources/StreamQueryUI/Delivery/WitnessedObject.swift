/// An observed object that reports changes, and reads of them, to a witness.
@MainActor
protocol WitnessedObject: AnyObject {
  /// The witness, which is not retained.
  var witness: (any ReaderWitness)? { get set }
}
