/// The fetch to which a context belongs.
protocol FetchWork: AnyObject, Sendable {
  var entry: EntryID { get }
  var identity: FetchIdentity { get }
  var query: StoredQuery { get }
  var part: FetchPart { get }
}
