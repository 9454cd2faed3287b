/// A wait for a simulated client, begun by a task that does not prefer the simulation's executor.
///
/// Such a caller waits until another task drives the simulation. If the caller is itself the
/// driver, it waits for ever. Nobody knows whether there is another driver, so all other callers
/// are watched.
struct OutsideWait: Equatable, Sendable {
  /// The decision about the wait.
  enum Verdict: Equatable, Sendable {
    /// It belongs to the simulation, which reports it if nothing can end it.
    case inside
    /// Another task may come and drive.
    case watched
    /// No task will drive.
    case hopeless
  }

  /// A waiting caller is reported after this number of checks in a row in which nobody drove the
  /// simulation.
  static var patience: Int { 5 }

  /// The simulation is being driven on the caller's thread, so the caller is one of its jobs.
  var isJob: Bool
  /// The simulation is being driven.
  var isDriven: Bool
  /// The task is the one that created or last drove the simulation.
  var isDriver: Bool

  var verdict: Verdict {
    if isJob { return .inside }
    return isDriver && !isDriven ? .hopeless : .watched
  }

  /// Counts the checks in a row in which nobody drove the simulation.
  struct Watch: Equatable, Sendable {
    private var idleLooks = 0
    private var seenDrives: Int

    init(drives: Int) {
      seenDrives = drives
    }

    /// Time has passed.
    ///
    /// - Parameters:
    ///   - drives: The number of drives that have begun so far.
    ///   - isDriven: Whether one is in progress.
    /// - Returns: Whether to report the caller.
    mutating func looked(drives: Int, isDriven: Bool) -> Bool {
      idleLooks = isDriven || drives != seenDrives ? 0 : idleLooks + 1
      seenDrives = drives
      return idleLooks >= OutsideWait.patience
    }
  }
}
