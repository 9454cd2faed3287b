internal import StreamQuery

/// The states that mutations show in a preview; the commands of objects that observe its client do
/// nothing.
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

  /// The run to show; that of an idle mutation if none was prepared.
  func run<Input, Output>(of mutation: Mutation<Input, Output>) -> MutationRun<Input, Output> {
    runs[Identity(mutation)] as? MutationRun<Input, Output> ?? .idle
  }
}
