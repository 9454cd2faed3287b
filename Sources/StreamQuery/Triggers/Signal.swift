/// What reaches a client from asynchronous sources.
enum Signal: Sendable {
  /// The earliest deadline was reached.
  case time
  case online(Bool)
  case active(Bool)
  case pressure(MemoryPressure.Level)
  case query(QueryTrigger)
  case trigger(Trigger)

  /// An element of a query's own trigger stream.
  struct QueryTrigger: Hashable {
    let key: EntryKey
    let pacing: RefetchPacing
  }
}
