/// What a client still runs, and who still listens to it: for leak reports of simulations.
package struct Liveness: Sendable {
  /// One line for everything that is not settled.
  package var unfinished: [String]
  /// How many subscriptions are open.
  package var subscribers: Int

  package init(unfinished: [String] = [], subscribers: Int = 0) {
    self.unfinished = unfinished
    self.subscribers = subscribers
  }
}
