/// What a caller asks of an entry's machine.
struct FetchRequest {
  var cause: FetchCause
  /// Whether a running fetch is replaced if there is data.
  var isSuperseding = false
  /// Whether the client itself wants the fetch.
  var hasClientLease = false
  /// Which page to add; `nil` fetches the whole value.
  var direction: PageDirection?
  /// How many pages to fetch, if the caller says so.
  var pageCount: Int?
}
