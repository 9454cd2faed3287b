/// A fault, or its end, in a ``SimulatedNetwork``.
///
/// Nodes have numbers from 0 on. Numbers that no node has are ignored.
public enum NetworkFault: Hashable, Sendable {
  /// Nothing passes between the store and some nodes.
  case partition(nodes: Range<Int>)
  /// A part of all requests and answers is lost.
  case loss(Double)
  /// All nodes reach the store again, and no messages are lost.
  case heal
  /// The store ends: calls fail.
  case crash
  /// The store starts again; `forgetting` says whether it has lost all entries.
  case restart(forgetting: Bool)
  /// The store does not answer: calls wait.
  case pause
  /// The store answers again.
  case resume
  /// The store continues with an earlier state: the changes of the last `losing` are lost.
  case failOver(losing: Duration)
  /// A node ends without giving its leases back.
  case kill(node: Int)
  /// Upstream answers with an error, after its usual time.
  case upstreamFails
  /// Upstream does not answer.
  case upstreamHangs
  /// Upstream answers again; callers that wait for an answer still wait.
  case upstreamAnswers
}
