/// Thrown by a fetch that finds nothing to do: it ends as if it had not begun, and its callers
/// fetch for themselves.
struct NothingFetched: Error {}
