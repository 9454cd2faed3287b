/// What callers get while the server is slow or away; see <doc:OnTheServer>.
extension QueryOptions {
  /// For how long after it became stale data is returned if its refetch fails; not at all by
  /// default.
  public var staleIfError: Duration? {
    get { servingValues.staleIfError }
    set { servingValues.staleIfError = newValue }
  }

  private var servingValues: ServingOptions.Values {
    get { serving?.values ?? ServingOptions.Values() }
    set { serving = ServingOptions.make(newValue) }
  }
}
