/// What happens to a ``SimulatedNetwork``.
public enum NetworkFault: Hashable, Sendable {
  /// Nothing passes between the store and some nodes.
  case partition(nodes: Range<Int>)
  /// A part of all requests and answers is lost.
  case loss(Double)
  /// All nodes reach the store again, and nothing is lost.
  case heal
  /// The store ends.
  case crash
  /// The store starts again; `forgetting` is whether it has lost everything.
  case restart(forgetting: Bool)
  /// The store answers nobody.
  case pause
  /// The store goes on.
  case resume
  /// The store goes on as it was some time ago.
  case failOver(losing: Duration)
  /// A node ends without a word, and with whatever leases it has.
  case kill(node: Int)
  /// Upstream answers with an error, after its time.
  case upstreamFails
  /// Upstream does not answer.
  case upstreamHangs
  /// Upstream answers again; who waits for an answer goes on to wait.
  case upstreamAnswers
}
