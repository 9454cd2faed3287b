/// The virtual clock of a simulation: it stands still until the simulation is driven.
///
/// Pass it to anything that takes a clock. The clock starts at offset zero. `Simulation.advance(by:)`,
/// `advance(to:)` and `run(_:)` move it, from one sleeper's deadline to the next.
///
/// A sleep throws `CancellationError` at once when its task is cancelled. A sleep of zero or negative length
/// returns at the same instant: with seed 0 after all ready jobs, and with any other seed when the generator
/// chooses. `Simulation.settled(after:)` returns after all ready jobs with every seed.
public struct SimulationClock: Clock {
  /// The type of this clock's durations, which is the standard one.
  public typealias Duration = Swift.Duration

  /// A point of virtual time.
  public struct Instant: InstantProtocol {
    /// The limit of an instant's offset, so that sums of enormous durations do not overflow.
    private static var limit: Duration { .seconds(Int64.max / 4) }

    /// The time between the start of the simulation and this instant.
    public let offset: Duration

    /// Creates an instant.
    ///
    /// - Parameter offset: The time between the start of the simulation and the instant.
    public init(offset: Duration) {
      self.offset = Self.clamped(offset)
    }

    /// Returns the instant at a distance from this one; enormous distances are shortened.
    ///
    /// - Parameter duration: The distance; negative for an earlier instant.
    /// - Returns: The instant at that distance.
    public func advanced(by duration: Duration) -> Self {
      Self(offset: offset + Self.clamped(duration))
    }

    /// Returns the distance to another instant.
    ///
    /// - Parameter other: The instant to measure to.
    /// - Returns: The distance, negative if the other instant is earlier.
    public func duration(to other: Self) -> Duration {
      other.offset - offset
    }

    /// Returns whether one instant is before another.
    ///
    /// - Parameters:
    ///   - lhs: An instant.
    ///   - rhs: Another instant.
    /// - Returns: `true` if `lhs` is earlier.
    public static func < (lhs: Self, rhs: Self) -> Bool {
      lhs.offset < rhs.offset
    }

    private static func clamped(_ duration: Duration) -> Duration {
      min(max(duration, .zero - limit), limit)
    }
  }

  let core: SimulationCore
  private let isBackground: Bool

  init(core: SimulationCore, isBackground: Bool) {
    self.core = core
    self.isBackground = isBackground
  }

  /// The present virtual time.
  public var now: Instant {
    Instant(offset: core.read { $0.now })
  }

  /// The resolution of the clock: zero, because virtual time is exact.
  public var minimumResolution: Duration {
    .zero
  }

  /// Waits until virtual time has reached an instant.
  ///
  /// - Parameters:
  ///   - deadline: The instant. If it is in the past, the wait ends at the present instant.
  ///   - tolerance: Ignored: virtual time is exact.
  /// - Throws: `CancellationError` at once when the task is or becomes cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try await core.sleep(until: deadline.offset, isBackground: isBackground)
  }
}
