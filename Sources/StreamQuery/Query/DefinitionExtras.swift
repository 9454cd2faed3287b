/// Parts of a definition that most queries do not have, in their own object.
///
/// Each modifier makes a definition and each entry keeps one: there, these parts take one word.
final class DefinitionExtras: Sendable {
  typealias Merge = @Sendable (_ old: ValueBox, _ new: ValueBox) -> ValueBox
  typealias TriggerSource = @Sendable () -> any AsyncSequence

  struct Values: Sendable {
    var initialData: InitialDataSource?
    var placeholder: ValueBox?
    /// Joins the cached value with a fetched one, for structural reuse.
    var merge: Merge?
    /// Streams whose elements refetch; made for each subscription.
    var triggers: [TriggerSource] = []
    /// What a feature built on queries, such as pages, knows of the value.
    var feature: QueryFeature?
    /// Whether a refetch hides the data.
    var resetsData = false
  }

  struct InitialDataSource: Sendable {
    /// Evaluated once per entry that has no data.
    var value: @Sendable () -> ValueBox?
    /// Seconds since the reference date; `nil` means now.
    var updatedAt: Double?
  }

  let values: Values

  init(_ values: Values) {
    self.values = values
  }
}
