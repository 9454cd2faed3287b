internal import StreamQuery

/// The prepared states of mutations in a preview; while they exist, commands of observed objects have no
/// effect.
@MainActor
final class PreparedRuns {
  private struct Identity: Hashable {
    let key: AnyQueryKey
    let run: ObjectIdentifier

    init<Input, Output>(_ mutation: Mutation<Input, Output>) {
      key = mutation.key
      run = ObjectIdentifier(MutationRun<Input, Output>.self)
    }
  }

  private var runs: [Identity: any Sendable] = [:]

  func prepare<Input, Output>(
    _ run: MutationRun<Input, Output>,
    of mutation: Mutation<Input, Output>
  ) {
    runs[Identity(mutation)] = run
  }

  /// Returns the prepared run of a mutation; the idle one if none was prepared.
  func run<Input, Output>(of mutation: Mutation<Input, Output>) -> MutationRun<Input, Output> {
    runs[Identity(mutation)] as? MutationRun<Input, Output> ?? .idle
  }
}
