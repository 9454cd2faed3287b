/// Parts of a plan that most queries do not have, in an object of their own.
///
/// A plan is made by each modifier and kept by each entry: there they take a word.
final class PlanExtras: Sendable {
  typealias Merge = @Sendable (_ old: ValueBox, _ new: ValueBox) -> ValueBox
  typealias Trigger = @Sendable () -> any AsyncSequence

  struct Values: Sendable {
    var initialData: InitialData?
    var placeholder: ValueBox?
    /// Joins the cached value with a fetched one, for structural reuse.
    var merge: Merge?
    /// Streams of which each element refetches; made anew for each subscription.
    var triggers: [Trigger] = []
    /// How pages follow each other, if the value is pages.
    var paging: PagingPlan?
    /// Makes the plan again of which a refetch fetches the first page only.
    var refetchingFirstPageOnly: (@Sendable () -> QueryPlan)?
    /// Whether a refetch takes the data out of sight.
    var resetsData = false
  }

  struct InitialData: Sendable {
    /// Asked once per entry that has no data.
    var value: @Sendable () -> ValueBox?
    /// Seconds since the reference date; `nil` is now.
    var updatedAt: Double?
  }

  let values: Values

  init(_ values: Values) {
    self.values = values
  }
}
