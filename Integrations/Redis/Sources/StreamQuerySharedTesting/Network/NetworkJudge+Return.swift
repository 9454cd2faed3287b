// Judges machines without an answer of the store, and the requests after the store's return.
extension NetworkJudge {
  /// Notes that a node got an answer of the store, so that it may have heard of any change.
  mutating func reached(by node: Int, at now: Duration) { reached[node] = now }

  /// Notes that a node begins to change a key.
  ///
  /// Until the change has ended, the node does not trust its data of the key.
  mutating func changes(_ key: Int, by node: Int) {
    changing[place(of: key, node), default: 0] += 1
  }

  /// Notes that a node has changed a key, or tried to.
  mutating func tried(_ key: Int, by node: Int, at now: Duration) {
    let place = place(of: key, node)
    suspicions[place] = now
    changing[place, default: 1] -= 1
  }

  /// Judges a request of a node for itself alone, because the store did not answer the node.
  ///
  /// A node asks once for all of its callers: it trusts the answer, unless it hears of a change or makes one.
  mutating func askedAlone(_ key: Int, by node: Int, at now: Duration) {
    let place = place(of: key, node)
    defer { alone[place] = now }
    guard let last = alone[place], now - last < bounds.alone else { return }
    if changing[place, default: 0] > 0 { return }
    if let doubt = suspicions[place], doubt >= last { return }
    if let time = reached[node], time >= last { return }
    found(.noHerd, "key \(key) was asked for by \(node) alone at \(now), and at \(last)")
  }

  /// The requests to upstream in one of the seconds after the store became reachable again.
  struct Second: Equatable, Sendable {
    /// The number of requests that leaders made for all nodes.
    var shared: Int
    /// The number of requests that nodes made for themselves alone, because the store did not answer them.
    var alone: Int
    /// The number of changes that were reported to the store.
    var changes: Int
  }

  /// Judges the requests in a second after the store's return.
  ///
  /// - Parameters:
  ///   - second: The requests in that second.
  ///   - usual: The maximum number of requests in a second before any fault.
  ///   - haveNoticed: Whether all nodes must have noticed the return before that second.
  mutating func returned(_ second: Second, usual: Int, haveNoticed: Bool) {
    // If all nodes suspect the data of a key at once, upstream gets one request for the key.
    let most = usual + keys + second.changes
    if second.shared > most {
      found(.noHerd, "\(second.shared) requests in a second after the return, \(most) may be")
    }
    if haveNoticed, second.alone > 0 {
      found(.noHerd, "\(second.alone) nodes asked alone although all have noticed the return")
    }
  }
}
