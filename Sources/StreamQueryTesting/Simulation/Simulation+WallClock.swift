internal import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Simulation {
  /// The wall clock's date at virtual time zero: 18 May 2033, 03:33:20 UTC.
  ///
  /// The date is far from the zero of any calendar, so that a date that was never set is easy to notice.
  public static let startDate = Date(timeIntervalSince1970: 2_000_000_000)

  /// The wall clock's present date: the start date, plus virtual time, plus the offset of
  /// `setWallClock(offset:)`.
  public var date: Date {
    let elapsed = now + wallOffset.withLock { $0 }
    let parts = elapsed.components
    return Self.startDate
      + (TimeInterval(parts.seconds) + TimeInterval(parts.attoseconds) / 1e18)
  }

  /// Makes the wall clock jump, as when a person or a time server sets it; virtual time does not change.
  ///
  /// - Parameter offset: The time by which the wall clock is now ahead of virtual time; negative if it is
  ///   behind. It replaces an earlier offset.
  public func setWallClock(offset: Duration) {
    let bounded = SimulationClock.Instant(offset: offset).offset
    wallOffset.withLock { $0 = bounded }
  }
}
