/// The definition of a mutation without its types: made once, shared by reference.
package final class MutationDefinition: Sendable {
  typealias Perform = @Sendable (ValueBox, MutationContext) async throws -> ValueBox
  typealias Layers = @Sendable (ValueBox, inout OptimisticChanges) -> Void

  let options: MutationOptions
  let perform: Perform?
  let layers: [Layers]
  let callbacks: MutationCallbacks
  /// The policy by which the outbox keeps runs beyond the process.
  package let keeping: (any RunPolicy)?
  let grouping: InputGrouping
  /// Boxes an output of unknown type, or returns `nil` if it has the wrong type.
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

  /// Whether the mutation itself says which of its runs wait for each other.
  package var ordersRuns: Bool {
    options.scope != nil || options.pacing == .newest || grouping.scope != nil
  }

  /// A copy with other options, another policy or another grouping, and with these callbacks and
  /// optimistic layers after the existing ones.
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

/// The callbacks before and after the work of a mutation, without its types.
struct MutationCallbacks: Sendable {
  /// ``MutationCallbackContext`` without the input's type.
  struct Facts: Sendable {
    let client: any CarriedClient
    let job: MutationJob
  }

  /// Returns a value that later callbacks may read.
  typealias Prepare = @Sendable (Facts) async throws -> any Sendable
  typealias Conclude = @Sendable (Result<ValueBox, any Error>, Facts) async throws -> Void

  var onMutate: [Prepare] = []
  var onSuccess: [Conclude] = []
  var onError: [Conclude] = []
  var onSettled: [Conclude] = []

  /// Whether a callback follows the work.
  var concludes: Bool { !onSuccess.isEmpty || !onError.isEmpty || !onSettled.isEmpty }

  static func + (first: Self, second: Self) -> Self {
    if first.onMutate.isEmpty, !first.concludes { return second }
    return Self(
      onMutate: first.onMutate + second.onMutate,
      onSuccess: first.onSuccess + second.onSuccess,
      onError: first.onError + second.onError,
      onSettled: first.onSettled + second.onSettled
    )
  }
}

/// The functions that make the scope and the pacing key of a run from its input.
struct InputGrouping: Sendable {
  /// Returns the scope of a run, or `nil` for none; the property is `nil` if the input does not decide.
  var scope: (@Sendable (ValueBox) -> String?)?
  /// Returns the key that `pacing(_:of:)` gives a run, as text, or `nil` if the run replaces no others.
  ///
  /// The property is `nil` without that modifier.
  var pacingKey: (@Sendable (ValueBox) -> String?)?
}

/// The policy by which the outbox keeps runs of a mutation beyond the process; only the outbox
/// knows its content.
package protocol RunPolicy: Sendable {
  /// Whether the outbox keeps runs beyond the process.
  var isDurable: Bool { get }

  /// Whether `onConflict(_:)` decides about an error after which no retry follows.
  var answersErrors: Bool { get }
}

extension Mutation {
  /// Returns the mutation with a policy by which the outbox keeps its runs.
  package func kept(by policy: any RunPolicy) -> Self {
    Mutation(key: key, definition: definition.with(keeping: policy))
  }
}
