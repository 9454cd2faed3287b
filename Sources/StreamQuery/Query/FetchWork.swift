/// The fetch to which a context belongs.
protocol FetchWork: AnyObject, Sendable {
  var entry: EntryID { get }
  var query: StoredQuery { get }
  /// The direction in which a page is added.
  var direction: PageDirection? { get }
}
