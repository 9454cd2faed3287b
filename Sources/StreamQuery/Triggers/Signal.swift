/// What reaches a client from asynchronous sources.
enum Signal: Sendable {
  /// The earliest deadline came.
  case time
  case online(Bool)
  case active(Bool)
  /// A stream of a query's own had an element.
  case query(EntryKey)
  case trigger(Trigger)
}
