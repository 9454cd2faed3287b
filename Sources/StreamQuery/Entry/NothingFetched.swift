/// Thrown by a fetch that finds nothing to do: it ends as if it had not begun.
struct NothingFetched: Error {}
