/// The definition of a mutation without its types: made once, shared by reference.
final class MutationDefinition: Sendable {
  typealias Perform = @Sendable (ValueBox, MutationContext) async throws -> ValueBox
  /// Returns what later callbacks may read.
  typealias Prepare = @Sendable (MutationFacts) async throws -> any Sendable
  typealias Conclude = @Sendable (Result<ValueBox, any Error>, MutationFacts) async throws -> Void
  typealias Layers = @Sendable (ValueBox, inout OptimisticChanges) -> Void

  let options: MutationOptions
  let perform: Perform?
  let layers: [Layers]
  let prepare: [Prepare]
  let onSuccess: [Conclude]
  let onError: [Conclude]
  let onSettled: [Conclude]
  /// Boxes an output of unknown type, or reports that it has the wrong type.
  let box: @Sendable (any Sendable) -> ValueBox?
  let outputTypeName: @Sendable () -> String

  init(
    options: MutationOptions = .default,
    perform: Perform?,
    layers: [Layers] = [],
    prepare: [Prepare] = [],
    onSuccess: [Conclude] = [],
    onError: [Conclude] = [],
    onSettled: [Conclude] = [],
    box: @escaping @Sendable (any Sendable) -> ValueBox?,
    outputTypeName: @escaping @Sendable () -> String
  ) {
    self.options = options
    self.perform = perform
    self.layers = layers
    self.prepare = prepare
    self.onSuccess = onSuccess
    self.onError = onError
    self.onSettled = onSettled
    self.box = box
    self.outputTypeName = outputTypeName
  }

  /// A copy with some parts changed; callbacks and layers are added to the existing ones.
  func with(
    options: MutationOptions? = nil,
    layers: Layers? = nil,
    prepare: Prepare? = nil,
    onSuccess: Conclude? = nil,
    onError: Conclude? = nil,
    onSettled: Conclude? = nil
  ) -> MutationDefinition {
    MutationDefinition(
      options: options ?? self.options,
      perform: perform,
      layers: layers.map { self.layers + [$0] } ?? self.layers,
      prepare: prepare.map { self.prepare + [$0] } ?? self.prepare,
      onSuccess: onSuccess.map { self.onSuccess + [$0] } ?? self.onSuccess,
      onError: onError.map { self.onError + [$0] } ?? self.onError,
      onSettled: onSettled.map { self.onSettled + [$0] } ?? self.onSettled,
      box: box,
      outputTypeName: outputTypeName
    )
  }
}
