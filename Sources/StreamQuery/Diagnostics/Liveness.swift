/// The unfinished work and the open subscriptions of a client, for leak reports of simulations.
package struct Liveness: Sendable {
  /// A fetch or a run that has not ended.
  package struct Work: Equatable, Sendable {
    /// The present activity of the work.
    package enum Activity: Equatable, Sendable {
      /// User code runs.
      case running
      /// User code runs, and waits for another fetch or run of the process.
      case waitingForWork
      /// The work waits for its next attempt.
      case resting(Duration)
      /// The work waits for the network or the app.
      case paused
      /// The run waits for the earlier runs of its scope.
      case queued
    }

    /// The fetch or the run, in words.
    package var subject: String
    /// The present activity.
    package var activity: Activity

    package init(_ subject: String, _ activity: Activity) {
      self.subject = subject
      self.activity = activity
    }
  }

  /// One line for each fetch or run that is not settled.
  package var unfinished: [String]
  /// The same fetches and runs, with the activity of each.
  package var work: [Work]
  /// The number of open subscriptions.
  package var subscribers: Int

  package init(unfinished: [String] = [], work: [Work] = [], subscribers: Int = 0) {
    self.unfinished = unfinished
    self.work = work
    self.subscribers = subscribers
  }
}
