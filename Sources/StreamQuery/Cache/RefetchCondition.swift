/// A condition of an observer that is being evaluated because of a transition of network or app.
struct RefetchCondition: Hashable, Sendable {
  let observer: ObserverID
  /// What it observed at that time: the answer is valid for nothing else.
  let entry: EntryID
  let cause: FetchCause

  /// A question and what is needed to evaluate it.
  struct Asking: Sendable {
    let condition: RefetchCondition
    /// The query that has the condition.
    let query: StoredQuery
    /// The entry at the transaction that asks.
    let info: QueryInfo
    /// The entry, if its store has to be read before.
    var restoring: RestoringEntry?
  }
}
