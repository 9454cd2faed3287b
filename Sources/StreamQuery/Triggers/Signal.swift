/// What reaches a client from asynchronous sources.
enum Signal: Sendable {
  /// The earliest deadline was reached.
  case time
  case online(Bool)
  case active(Bool)
  case pressure(MemoryPressure.Level)
  /// A query's own trigger stream had an element.
  case query(EntryKey)
  case trigger(Trigger)
}
