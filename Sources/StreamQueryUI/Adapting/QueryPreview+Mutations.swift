public import StreamQuery

// States of mutations. A mutation without a state is idle.
//
// A mutation is found by its key and its types: mutations of the same types without a key all show the same
// state. No callbacks are called, and no optimistic changes are made, so prepare the changed data of queries
// as well.
extension QueryPreview {
  /// Puts a mutation into the state of running.
  ///
  /// ```swift
  /// ProfileView(id: 1).queryPreview { $0.running(.rename(), with: Rename(id: 1, name: "Ada")) }
  /// ```
  ///
  /// - Parameters:
  ///   - mutation: The mutation.
  ///   - input: The input of the run.
  public func running<Input, Output>(_ mutation: Mutation<Input, Output>, with input: Input) {
    let silence = makeSilence()
    prepare(mutation, with: input) {
      for await _ in silence {}
      throw CancellationError()
    }
  }

  /// Puts a mutation into the state of waiting for the network.
  ///
  /// - Parameters:
  ///   - mutation: The mutation.
  ///   - input: The input of the run.
  public func paused<Input, Output>(_ mutation: Mutation<Input, Output>, with input: Input) {
    // The jobs of the client run first, so that the client knows that it is offline.
    executor.run()
    prepare(mutation, with: input, .online) { throw CancellationError() }
  }

  /// Puts a mutation into the state of success.
  ///
  /// - Parameters:
  ///   - output: The output of the work.
  ///   - mutation: The mutation.
  ///   - input: The input of the run.
  public func success<Input, Output>(
    _ output: Output,
    of mutation: Mutation<Input, Output>,
    with input: Input
  ) {
    prepare(mutation, with: input) { output }
  }

  /// Puts a mutation into the state of failure.
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
