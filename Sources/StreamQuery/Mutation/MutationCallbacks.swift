/// What is called before and after the work of a mutation, without its types.
struct MutationCallbacks: Sendable {
  /// ``MutationRunContext`` without the input's type.
  struct Facts: Sendable {
    let client: any CarriedClient
    let job: MutationJob
  }

  /// Returns what later callbacks may read.
  typealias Prepare = @Sendable (Facts) async throws -> any Sendable
  typealias Conclude = @Sendable (Result<ValueBox, any Error>, Facts) async throws -> Void

  var onMutate: [Prepare] = []
  var onSuccess: [Conclude] = []
  var onError: [Conclude] = []
  var onSettled: [Conclude] = []

  /// Whether any is called at the end.
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
