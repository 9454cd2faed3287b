/// A wait for a simulated client, by a caller that does not prefer the simulation's executor.
///
/// Such a caller waits until another task drives the simulation. If the caller itself is the driver, it
/// would wait for ever. For any other caller, nobody knows whether a task will drive the simulation, so the
/// caller is watched.
struct OutsideWait: Equatable, Sendable {
  /// The decision about a caller's wait.
  enum Verdict: Equatable, Sendable {
    /// The caller belongs to the simulation, which reports the wait itself if nothing can end it.
    case inside
    /// The wait may end, because another task may come and drive the simulation.
    case watched
    /// The wait would never end, because no task will drive the simulation.
    case hopeless
  }

  /// A caller is reported after this number of checks in a row, during which nobody drove the simulation.
  static var patience: Int { 5 }

  /// Whether the simulation is driven at the time of the wait, and on which thread.
  enum Drive: Equatable, Sendable {
    case none
    /// The simulation is driven on the caller's thread, so the caller is one of the simulation's jobs.
    case here
    case elsewhere
  }

  var drive: Drive
  /// Whether the caller's task is the one that created or last drove the simulation.
  var isDriver: Bool

  var verdict: Verdict {
    switch drive {
    case .here: .inside
    case .none: isDriver ? .hopeless : .watched
    case .elsewhere: .watched
    }
  }

  /// Counts the checks in a row in which nobody drove the simulation.
  struct Watch: Equatable, Sendable {
    private var idleLooks = 0
    private var seenDrives: Int

    init(drives: Int) {
      seenDrives = drives
    }

    /// Checks once whether the simulation is driven.
    ///
    /// - Parameters:
    ///   - drives: The number of drives that have begun so far.
    ///   - isDriven: Whether a drive is in progress.
    /// - Returns: Whether the caller has to be reported now.
    mutating func looked(drives: Int, isDriven: Bool) -> Bool {
      idleLooks = isDriven || drives != seenDrives ? 0 : idleLooks + 1
      seenDrives = drives
      return idleLooks >= OutsideWait.patience
    }
  }
}
