import StreamQuery
import StreamQueryTesting
import Synchronization

/// One run of a diagram: its inputs, its clock, and what the output was.
final class MarbleWorld: Sendable {
  /// How long one column takes.
  static let tick = Duration.seconds(1)

  private struct State {
    var output = MarbleLine()
    var listening: [String] = []
    var checks: [@Sendable () -> String?] = []
    var lastTick = 0
  }

  let simulation: Simulation
  private let state = Mutex(State())

  init(seed: UInt64) {
    simulation = Simulation(seed: seed)
  }

  var clock: any Clock<Duration> { simulation.clock }

  /// Who began (`+`) and who stopped (`-`) to listen to which input, in order.
  var listening: [String] { state.withLock { $0.listening } }

  /// An input that cannot fail.
  func input(_ line: String, name: String = "") -> MarbleSource<String, Never> {
    input(line, name: name, failure: nil) { $0 }
  }

  /// An input that can fail.
  func failing(_ line: String, name: String = "") -> MarbleSource<String, MarbleFailure> {
    input(line, name: name, failure: MarbleFailure()) { $0 }
  }

  /// An input of any type.
  func input<Element: Sendable, Failure: Error>(
    _ text: String,
    name: String,
    failure: Failure?,
    element: (String) -> Element
  ) -> MarbleSource<Element, Failure> {
    let line = MarbleLine(text)
    // Weak: the world holds the channel, to ask who still listens.
    let channel = MarbleChannel<Element, Failure>(name: name.isEmpty ? text : name) {
      [weak self] note in
      self?.state.withLock { $0.listening.append(note) }
    }
    let answers = line.marbles.mapValues { marbles in
      marbles.compactMap { marble -> Result<Element?, Failure>? in
        switch marble {
        case .element(let text): .success(element(text))
        case .finish: .success(nil)
        case .failure: failure.map { .failure($0) }
        case .operatorError, .cancel: nil
        }
      }
    }
    for (tick, answers) in answers.sorted(by: { $0.key < $1.key }) {
      schedule(at: tick) {
        for answer in answers { channel.send(answer) }
      }
    }
    state.withLock { state in
      state.checks.append {
        channel.listeners == 0 ? nil : "still listened to: \(text)"
      }
    }
    return MarbleSource(channel: channel)
  }

  /// Does something in a task of the simulation, so that its seed chooses when within the tick.
  func schedule(at tick: Int, _ body: @escaping @Sendable () -> Void) {
    let start = simulation.now
    state.withLock { $0.lastTick = max($0.lastTick, tick) }
    simulation.task("tick \(tick)") { [simulation] in
      let instant = SimulationClock.Instant(offset: start + Self.tick * (tick + 1))
      try? await simulation.clock.sleep(until: instant, tolerance: nil)
      body()
    }
  }

  /// Iterates a sequence from before the first tick until it ends.
  ///
  /// - Parameters:
  ///   - sequence: The sequence.
  ///   - asks: A line with a marble for each element that the consumer asks for; `nil` if it always
  ///     asks.
  ///   - cancelTick: When to cancel the consumer, if at all.
  ///   - render: How an element is written in a diagram.
  func consume<Sequence: AsyncSequence & Sendable>(
    _ sequence: Sequence,
    asks: String?,
    cancelAt cancelTick: Int?,
    render: @escaping @Sendable (Sequence.Element) -> String
  ) {
    let askTicks = asks.map { asks in
      MarbleLine(asks).marbles.flatMap { tick, marbles in marbles.map { _ in tick } }.sorted()
    }
    let consumer = simulation.task("consumer") { [self] in
      var iterator = sequence.makeAsyncIterator()
      var asked = 0
      do {
        while await waitToAsk(askTicks, asked) {
          asked += 1
          guard let element = try await iterator.next(isolation: nil) else {
            record(Task.isCancelled ? .cancel : .finish)
            break
          }
          record(.element(render(element)))
        }
      } catch {
        record(error is MarbleFailure ? .failure : .operatorError)
      }
      // Over is over: whoever asks again gets nothing. (A consumer that stopped asking drops it.)
      guard asked < askTicks?.count ?? .max else { return }
      if let more = try? await iterator.next(isolation: nil) {
        record(.element("after the end: " + render(more)))
      }
    }
    if let cancelTick { schedule(at: cancelTick) { consumer.cancel() } }
  }

  private func waitToAsk(_ ticks: [Int]?, _ asked: Int) async -> Bool {
    guard let ticks else { return true }
    guard asked < ticks.count else { return false }
    let instant = SimulationClock.Instant(offset: Self.tick * (ticks[asked] + 1))
    try? await simulation.clock.sleep(until: instant, tolerance: nil)
    return true
  }

  private func record(_ marble: Marble) {
    // The first tick is at 1, so that everybody listens before it.
    let tick = Int(simulation.now / Self.tick) - 1
    state.withLock { $0.output.marbles[tick, default: []].append(marble) }
  }

  /// Lets the diagram happen, and long enough after it that nothing of it can still be under way.
  func play(until tick: Int) -> MarbleLine {
    let last = max(tick, state.withLock { $0.lastTick })
    simulation.advance(by: Self.tick * (last + 50))
    return state.withLock { $0.output }
  }

  /// What is left of the operator once its output has ended.
  func leftovers() -> [String] {
    simulation.leakReport() + state.withLock { $0.checks }.compactMap { $0() }
  }
}
