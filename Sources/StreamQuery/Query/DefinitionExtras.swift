/// Parts of a definition that most queries do not have, in their own object.
///
/// Each modifier makes a definition and each entry keeps one: there, these parts take one word.
// Unchecked: it is changed only by a definition that alone refers to it, see `QueryDefinition`.
final class DefinitionExtras: @unchecked Sendable {
  typealias Merge = @Sendable (_ old: ValueBox, _ new: ValueBox) -> ValueBox

  struct TriggerSource: Sendable {
    let make: @Sendable () -> any AsyncSequence
    let pacing: RefetchPacing
  }

  struct Values: Sendable {
    var initialData: InitialDataSource?
    var placeholder: ValueBox?
    /// Joins the cached value with a fetched one, for structural reuse.
    var merge: Merge?
    /// Streams whose elements refetch; made for each subscription.
    var triggers: [TriggerSource] = []
    /// What a feature built on queries, such as pages, knows of the value.
    var feature: QueryFeature?
    /// Makes a definition that fetches in the other way that the feature offers.
    ///
    /// Not in the feature, which results carry: a result would keep the user's fetch.
    var variant: (@Sendable () -> QueryDefinition)?
    /// Whether a refetch hides the data.
    var resetsData = false
    /// How the answer of a fetch arrives.
    var delivery = Delivery.whole
    /// Where the data is kept beyond the cache; `nil` leaves it to the client.
    var persistence: (any PersistencePolicy)?
  }

  /// An object, so that an entry can keep it without the rest of its query; see
  /// ``StoredInitialData``.
  final class InitialDataSource: Sendable {
    /// Whether it is not known yet what is kept beyond the cache.
    let isHeld: (@Sendable () -> Bool)?
    /// Finds what is kept beyond the cache.
    let kept: (@Sendable () -> KeptData?)?
    /// Finds what the query itself says.
    let own: (@Sendable () -> KeptData?)?

    init(
      isHeld: (@Sendable () -> Bool)? = nil,
      kept: (@Sendable () -> KeptData?)? = nil,
      own: (@Sendable () -> KeptData?)?
    ) {
      self.isHeld = isHeld
      self.kept = kept
      self.own = own
    }

    /// Evaluated once per entry that has no data, and again when it is known what is kept.
    func find() -> KeptData? {
      // The query's own would take the place of what is kept.
      isHeld?() == true ? nil : kept?() ?? own?()
    }
  }

  // Exclusive by the rule above.
  @exclusivity(unchecked) private(set) var values: Values

  init(_ values: Values) {
    self.values = values
  }

  /// Changes the parts in place.
  func change(_ change: (inout Values) -> Void) { change(&values) }
}
