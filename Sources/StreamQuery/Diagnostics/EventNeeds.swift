/// What has to be an event, because somebody listens.
struct EventNeeds: Hashable, Sendable {
  /// Anything at all.
  var events = false
  /// Lookups, if they are made under the lock.
  var lookups = false
  /// Each lookup, so that each has to be made under the lock.
  var everyLookup = false

  static let nothing = EventNeeds()
  static let everything = EventNeeds(events: true, lookups: true, everyLookup: true)

  /// What two listeners need together.
  func union(_ other: Self) -> Self {
    EventNeeds(
      events: events || other.events,
      lookups: lookups || other.lookups,
      everyLookup: everyLookup || other.everyLookup
    )
  }
}
