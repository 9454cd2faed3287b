/// A condition of an observer that is being evaluated because of an edge of the world.
struct Question: Hashable, Sendable {
  let consumer: ConsumerID
  /// What it observed at that time: the answer is valid for nothing else.
  let entry: EntryID
  let cause: FetchCause

  /// A question and what is needed to evaluate it.
  struct Asking: Sendable {
    let question: Question
    let condition: EventRefetchPolicy.Condition
    /// The entry at the turn that asks.
    let info: QueryInfo
  }
}
