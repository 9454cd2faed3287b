/// The definition of a mutation without its types: made once, shared by reference.
package final class MutationDefinition: Sendable {
  typealias Perform = @Sendable (ValueBox, MutationContext) async throws -> ValueBox
  typealias Layers = @Sendable (ValueBox, inout OptimisticChanges) -> Void

  let options: MutationOptions
  let perform: Perform?
  let layers: [Layers]
  let callbacks: MutationCallbacks
  /// How runs are kept beyond the process.
  package let keeping: (any RunPolicy)?
  let grouping: InputGrouping
  /// Boxes an output of unknown type, or reports that it has the wrong type.
  let box: @Sendable (any Sendable) -> ValueBox?
  let outputTypeName: @Sendable () -> String

  init(
    options: MutationOptions = .default,
    perform: Perform?,
    layers: [Layers] = [],
    callbacks: MutationCallbacks = MutationCallbacks(),
    keeping: (any RunPolicy)? = nil,
    grouping: InputGrouping = InputGrouping(),
    box: @escaping @Sendable (any Sendable) -> ValueBox?,
    outputTypeName: @escaping @Sendable () -> String
  ) {
    self.options = options
    self.perform = perform
    self.layers = layers
    self.callbacks = callbacks
    self.keeping = keeping
    self.grouping = grouping
    self.box = box
    self.outputTypeName = outputTypeName
  }

  /// A copy with other options, another policy or another grouping, and with these callbacks and
  /// layers after the existing ones.
  func with(
    options: MutationOptions? = nil,
    layers: [Layers] = [],
    callbacks: MutationCallbacks = MutationCallbacks(),
    keeping: (any RunPolicy)? = nil,
    grouping: InputGrouping? = nil
  ) -> MutationDefinition {
    MutationDefinition(
      options: options ?? self.options,
      perform: perform,
      layers: self.layers + layers,
      callbacks: self.callbacks + callbacks,
      keeping: keeping ?? self.keeping,
      grouping: grouping ?? self.grouping,
      box: box,
      outputTypeName: outputTypeName
    )
  }
}
