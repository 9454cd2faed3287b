/// A wait for a simulated client of a task that does not prefer the simulation's executor, as it begins.
///
/// A caller that is no part of the simulation waits for whoever drives it. If that is the caller, it waits
/// for ever; who else it may be cannot be known, so the others are watched.
struct OutsideWait: Equatable, Sendable {
  /// What becomes of the wait.
  enum Verdict: Equatable, Sendable {
    /// It belongs to the simulation, which will tell if nothing can end it.
    case inside
    /// Somebody may come and drive.
    case watched
    /// Nobody will.
    case hopeless
  }

  /// For how many looks in a row nobody may drive while a caller waits.
  static var patience: Int { 5 }

  /// The simulation is being driven, on the thread that the caller is on: what runs there is its job.
  var isJob: Bool
  /// The simulation is being driven.
  var isDriven: Bool
  /// The task is the one that created or last drove the simulation.
  var isDriver: Bool

  var verdict: Verdict {
    if isJob { return .inside }
    return isDriver && !isDriven ? .hopeless : .watched
  }

  /// How often in a row nobody was seen to drive.
  struct Watch: Equatable, Sendable {
    private var idleLooks = 0
    private var seenDrives: Int

    init(drives: Int) {
      seenDrives = drives
    }

    /// Some time went by.
    ///
    /// - Parameters:
    ///   - drives: How many drives have begun so far.
    ///   - isDriven: Whether one goes on.
    /// - Returns: Whether to give up.
    mutating func looked(drives: Int, isDriven: Bool) -> Bool {
      idleLooks = isDriven || drives != seenDrives ? 0 : idleLooks + 1
      seenDrives = drives
      return idleLooks >= OutsideWait.patience
    }
  }
}
