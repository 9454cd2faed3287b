import StreamQuery
import StreamQueryTesting

/// A moment of a run in short.
struct RunSummary: Equatable, CustomStringConvertible {
  var time: Int
  var text: String

  init(_ time: Int, _ text: String) {
    self.time = time
    self.text = text
  }

  var description: String { "\(time) \(text)" }
}

extension ResultRecording {
  /// Runs as `pending 1 paused !1`, with the time of each in milliseconds.
  func runs<Output>() -> [RunSummary] where Element == MutationRun<Int, Output> {
    elements.map { RunSummary($0.time.milliseconds, summary(of: $0.element)) }
  }
}

func summary<Output>(of run: MutationRun<Int, Output>) -> String {
  var text = "\(run.status)"
  if let variables = run.input { text += " \(variables)" }
  if let output = run.output { text += " -> \(output)" }
  if let error = run.error { text += " [\(error)]" }
  if run.isPaused { text += " paused" }
  if run.failureCount > 0 { text += " !\(run.failureCount)" }
  return text
}

extension Duration {
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
  }
}

extension Mutation where Input == Int, Output == Int {
  /// Adds 100 after a delay of virtual time, by the clock that it is run on.
  static func slow(
    _ key: AnyQueryKey = "m",
    _ milliseconds: Int = 10,
    notes: Notes<String>? = nil,
    simulation: Simulation
  ) -> Self {
    // Without the simulation, which would wait for ever for a client that waits for it.
    let clock = simulation.clock
    return Mutation(key: key) { input in
      notes?.add("\(clock.now.offset.milliseconds) start \(input)")
      try await Scheduling.current.clock.sleep(for: .milliseconds(milliseconds))
      notes?.add("\(clock.now.offset.milliseconds) end \(input)")
      return input + 100
    }
  }
}

extension Simulation {
  /// Starts a mutation whose caller is a task of this world.
  @discardableResult
  func start<Input, Output>(
    _ mutation: Mutation<Input, Output>,
    with input: Input,
    on client: QueryClient,
    detached: Bool = false
  ) -> Task<Output, any Error> {
    let task: Task<Output, any Error> = task("mutate") {
      try await client.mutate(mutation, with: input, detached: detached)
    }
    settle()
    return task
  }
}
