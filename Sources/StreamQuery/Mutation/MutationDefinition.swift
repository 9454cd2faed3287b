/// The definition of a mutation without its types: made once, shared by reference.
final class MutationDefinition: Sendable {
  typealias Perform = @Sendable (ValueBox, MutationContext) async throws -> ValueBox
  typealias Layers = @Sendable (ValueBox, inout OptimisticChanges) -> Void

  let options: MutationOptions
  let perform: Perform?
  let layers: [Layers]
  let callbacks: MutationCallbacks
  /// How runs are kept beyond the process.
  let keeping: (any RunPolicy)?
  /// Boxes an output of unknown type, or reports that it has the wrong type.
  let box: @Sendable (any Sendable) -> ValueBox?
  let outputTypeName: @Sendable () -> String

  init(
    options: MutationOptions = .default,
    perform: Perform?,
    layers: [Layers] = [],
    callbacks: MutationCallbacks = MutationCallbacks(),
    keeping: (any RunPolicy)? = nil,
    box: @escaping @Sendable (any Sendable) -> ValueBox?,
    outputTypeName: @escaping @Sendable () -> String
  ) {
    self.options = options
    self.perform = perform
    self.layers = layers
    self.callbacks = callbacks
    self.keeping = keeping
    self.box = box
    self.outputTypeName = outputTypeName
  }

  /// A copy with other options or another policy, and with these callbacks and layers after the existing ones.
  func with(
    options: MutationOptions? = nil,
    layers: [Layers] = [],
    callbacks: MutationCallbacks = MutationCallbacks(),
    keeping: (any RunPolicy)? = nil
  ) -> MutationDefinition {
    MutationDefinition(
      options: options ?? self.options,
      perform: perform,
      layers: self.layers + layers,
      callbacks: self.callbacks + callbacks,
      keeping: keeping ?? self.keeping,
      box: box,
      outputTypeName: outputTypeName
    )
  }
}
