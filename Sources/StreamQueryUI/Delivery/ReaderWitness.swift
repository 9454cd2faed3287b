/// An object that hears when readers of an observed object hear of a change, and when they read it.
@MainActor
protocol ReaderWitness: AnyObject {
  /// Readers are about to be told of a change.
  func readersAreTold()

  /// Readers read the reported change for the first time.
  func changeWasRead()
}
