/// What a context tells of the fetch that it is of.
protocol FetchWork: AnyObject, Sendable {
  var entry: EntryID { get }
  var plan: ResolvedPlan { get }
  /// Which page is added.
  var direction: PageDirection? { get }
}
