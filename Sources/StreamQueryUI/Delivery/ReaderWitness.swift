/// An object that is told when an observed object reports a change to its readers, and when they read the
/// change.
@MainActor
protocol ReaderWitness: AnyObject {
  /// Called before readers are told of a change.
  func readersAreTold()

  /// Called when a reader reads the reported change for the first time.
  func changeWasRead()
}
