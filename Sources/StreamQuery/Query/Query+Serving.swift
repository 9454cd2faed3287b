/// What callers get while the server is slow or away; see <doc:OnTheServer>.
extension Query {
  /// For how long after it became stale data is returned if its refetch fails; not at all by
  /// default.
  ///
  /// `fetch` then returns the stale data instead of throwing. The failure is still in the results of
  /// streams and in the events, and the next `fetch` asks again.
  /// ``QueryClient/fetchThrowing(_:)`` throws in any case. Data became stale when its stale time was
  /// over or when it was invalidated, whichever came first; the client's clock measures the time.
  ///
  /// ```swift
  /// let rates = Query("rates") { try await api.rates() }
  ///   .staleTime(.seconds(30))
  ///   .staleIfError(.minutes(5))
  /// ```
  ///
  /// - Parameter grace: How long; zero or less is not at all, more than 100 years is for ever.
  /// - Returns: The changed query.
  public func staleIfError(_ grace: Duration) -> Self {
    options { $0.staleIfError = grace }
  }
}
