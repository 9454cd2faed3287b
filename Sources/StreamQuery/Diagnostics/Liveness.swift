/// What a client still runs, and who still listens to it: for leak reports of simulations.
package struct Liveness: Sendable {
  /// A fetch or a run that is not over.
  package struct Work: Equatable, Sendable {
    /// What it does at present.
    package enum Activity: Equatable, Sendable {
      /// User code runs.
      case running
      /// User code runs, and waits for another fetch or run of the process.
      case waitingForWork
      /// It waits for its next attempt.
      case resting(Duration)
      /// It waits for the network or the app.
      case paused
      /// It waits for the runs before it in its scope.
      case queued
    }

    /// What it is.
    package var subject: String
    /// What it does.
    package var activity: Activity

    package init(_ subject: String, _ activity: Activity) {
      self.subject = subject
      self.activity = activity
    }
  }

  /// One line for everything that is not settled.
  package var unfinished: [String]
  /// The same with what each does.
  package var work: [Work]
  /// How many subscriptions are open.
  package var subscribers: Int

  package init(unfinished: [String] = [], work: [Work] = [], subscribers: Int = 0) {
    self.unfinished = unfinished
    self.work = work
    self.subscribers = subscribers
  }
}
