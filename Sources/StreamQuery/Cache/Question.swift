/// A condition of an observer that is being asked, because of an edge of the world.
struct Question: Hashable, Sendable {
  let consumer: ConsumerID
  /// What it observed when it was asked: the answer is about nothing else.
  let entry: EntryID
  let cause: FetchCause

  /// A question with what it takes to ask it.
  struct Asking: Sendable {
    let question: Question
    let condition: EventRefetchPolicy.Condition
    /// The entry as of the turn that asks.
    let info: QueryInfo
  }
}
