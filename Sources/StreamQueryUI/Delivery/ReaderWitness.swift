/// What is to know when readers of an observed object are told of a change, and when they read it.
@MainActor
protocol ReaderWitness: AnyObject {
  /// Readers are about to be told of a change.
  func readersAreTold()

  /// What they were told of is read, for the first time.
  func changeWasRead()
}
