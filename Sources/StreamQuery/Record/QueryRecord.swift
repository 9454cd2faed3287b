#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A record of what happened in a client: its entries, fetches, writes and mutations, in order and with times.
///
/// A client that is configured with a ``RecordPolicy`` keeps the newest events. Take them with
/// ``QueryClient/record``, save them, and look at them later, also on another machine:
///
/// ```swift
/// var configuration = QueryClient.Configuration()
/// configuration.record = .last(1_000)
/// let client = QueryClient(configuration: configuration)
/// // …
/// try client.record.write(to: url)
/// let record = try QueryRecord(contentsOf: url)
/// ```
///
/// Each event of an entry has the state of the entry after it. ``Key/base`` and ``base`` have the state before
/// the first event. So the state at any time since then is known, even if older events are lost.
///
/// Keys, runs, options and errors have numbers, which are never reused: events refer to them.
///
/// A record has the names of keys and the texts of errors. It has values only if the ``RecordPolicy`` asks for
/// them.
public struct QueryRecord: Hashable, Sendable, _FreeOfActors {
  /// The date of time 0, from which all times of the record count.
  public var date: Date
  /// The time from time 0 to the moment at which the record was taken.
  public var duration: Duration
  /// The number of the first event, or of the next one if there is none; the client's first event has number 1.
  public var firstNumber: Int
  /// The number of events before the first one that are lost.
  ///
  /// In an element of ``QueryClient/recordUpdates`` these are the events that its reader has missed. In a file these
  /// are all events before the first one.
  public var lostCount: Int
  /// The state of the client before the first event.
  public var base: Base
  /// The keys, by ascending number.
  public var keys: [Key] = []
  /// The runs of mutations, by ascending number.
  public var runs: [Run] = []
  /// The options of entries, by ascending number.
  public var options: [Options] = []
  /// The errors, by ascending number.
  public var errors: [Failure] = []
  /// The events, by ascending number and time.
  public var events: [Event] = []
  /// The values that the policy has asked for, by ascending number of their events.
  public var values: [Value] = []

  /// Creates a record without events.
  ///
  /// - Parameters:
  ///   - date: The date of time 0.
  ///   - duration: The time at which the record was taken.
  ///   - firstNumber: The number of the first event.
  ///   - lostCount: The number of events before the first one that are lost.
  ///   - base: The state of the client before the first event.
  package init(
    date: Date,
    duration: Duration = .zero,
    firstNumber: Int = 1,
    lostCount: Int = 0,
    base: Base = Base()
  ) {
    self.date = date
    self.duration = duration
    self.firstNumber = firstNumber
    self.lostCount = lostCount
    self.base = base
  }

  /// The state of the client, apart from entries and runs.
  public struct Base: Hashable, Sendable, _FreeOfActors {
    /// Whether the network can be reached.
    public var isOnline: Bool
    /// Whether the app or process is active.
    public var isActive: Bool

    /// Creates a state; online and active by default.
    ///
    /// - Parameters:
    ///   - isOnline: Whether the network can be reached.
    ///   - isActive: Whether the app or process is active.
    package init(isOnline: Bool = true, isActive: Bool = true) {
      self.isOnline = isOnline
      self.isActive = isActive
    }
  }
}

/// The reason for which a record cannot be read or written.
public enum QueryRecordError: Error, Hashable {
  /// The data is no record that can be read, or a record was changed so that it could not be read again.
  ///
  /// The data may be cut off or damaged, or nest too deeply. The text says where.
  case malformed(String)
  /// The record was written by a newer version of the library.
  case unsupportedVersion(Int)
}
