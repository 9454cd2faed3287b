public import StreamQuery

// States of mutations. A mutation without a state is idle.
//
// What shows a mutation is told of it by its key and its types: without a key, all mutations of these
// types show the same state. Its callbacks are not called, and its optimistic changes not made: say
// the data as well.
extension QueryPreview {
  /// A mutation that is running.
  ///
  /// ```swift
  /// ProfileView(id: 1).queryPreview { $0.running(.rename(), with: Rename(id: 1, name: "Ada")) }
  /// ```
  ///
  /// - Parameters:
  ///   - mutation: The mutation.
  ///   - input: The input of the run.
  public func running<Input, Output>(_ mutation: Mutation<Input, Output>, with input: Input) {
    prepare(mutation, with: input) { [silence] in
      for await _ in silence {}
      throw CancellationError()
    }
  }

  /// A mutation whose run waits for the network.
  ///
  /// - Parameters:
  ///   - mutation: The mutation.
  ///   - input: The input of the run.
  public func paused<Input, Output>(_ mutation: Mutation<Input, Output>, with input: Input) {
    // The client is to know that it is offline.
    executor.run()
    prepare(mutation, with: input, .online) { throw CancellationError() }
  }

  /// A mutation whose run has succeeded.
  ///
  /// - Parameters:
  ///   - output: What the work has returned.
  ///   - mutation: The mutation.
  ///   - input: The input of the run.
  public func success<Input, Output>(
    _ output: Output,
    of mutation: Mutation<Input, Output>,
    with input: Input
  ) {
    prepare(mutation, with: input) { output }
  }

  /// A mutation whose run has failed.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - mutation: The mutation.
  ///   - input: The input of the run.
  public func failure<Input, Output>(
    _ error: any Error,
    of mutation: Mutation<Input, Output>,
    with input: Input
  ) {
    prepare(mutation, with: input) { throw error }
  }

  private func prepare<Input, Output>(
    _ mutation: Mutation<Input, Output>,
    with input: Input,
    _ networkMode: NetworkMode = .always,
    _ perform: @escaping @Sendable () async throws -> Output
  ) {
    let shown = Mutation<Input, Output>(key: mutation.key) { _ in try await perform() }
      .retry(0).networkMode(networkMode)
    let observer = client.observer(of: shown)
    observer.start(with: input)
    executor.run()
    runs.prepare(observer.run, of: mutation)
  }
}
