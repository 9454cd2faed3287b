/// An object that is told when readers of an observed object are told of a change, and when they
/// read it.
@MainActor
protocol ReaderWitness: AnyObject {
  /// Readers are about to be told of a change.
  func readersAreTold()

  /// Readers read the reported change for the first time.
  func changeWasRead()
}
