internal import StreamQuery
internal import StreamQueryShared
internal import Synchronization

/// The shared state of a network's parts, behind one lock: the judge of promises and the meter of costs.
final class NetworkWorld: Sendable {
  /// The behaviour of upstream.
  enum Upstream: Sendable { case answers, fails, hangs }

  struct State: Sendable {
    var judge: NetworkJudge
    var meter = NetworkMeter()
    var random: NetworkRandom
    var partitioned: Range<Int> = 0..<0
    var loss = 0.0
    var dead: Set<Int> = []
    var upstream = Upstream.answers
    /// The number of running fetches that callers asked for.
    var calls = 0
    /// The keys that a node is writing, which no other code may change upstream.
    var written: Set<Int> = []
  }

  let delay: (least: Duration, most: Duration)
  private let state: Mutex<State>

  init(_ judge: NetworkJudge, _ plan: NetworkPlan) {
    delay = plan.delay
    state = Mutex(State(judge: judge, random: NetworkRandom(seed: plan.seed &+ 1)))
  }

  func locked<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    state.withLock { body(&$0) }
  }

  /// The time that the next message of a node takes, and whether the message is lost.
  func way(of node: Int) -> (delay: Duration, isLost: Bool) {
    locked { state in
      let delay = delay.least + (delay.most - delay.least) * state.random.chance()
      let isCut = state.partitioned.contains(node) || state.dead.contains(node)
      return (delay, isCut || state.random.chance() < state.loss)
    }
  }
}
