// Who believes that the store is away, and what its return costs.
extension NetworkJudge {
  /// A node got an answer of the store: it may have learned of anything.
  mutating func reached(by node: Int, at now: Duration) { reached[node] = now }

  /// A node begins to change a key: until that is over, what is here of it is not trusted.
  mutating func changes(_ key: Int, by node: Int) {
    changing[place(of: key, node), default: 0] += 1
  }

  /// A node has changed a key, or tried to.
  mutating func tried(_ key: Int, by node: Int, at now: Duration) {
    let place = place(of: key, node)
    doubts[place] = now
    changing[place, default: 1] -= 1
  }

  /// A node asks upstream for itself, since it believes that the store is away.
  ///
  /// However many callers it has: what it gets it trusts, unless it hears of something or changes it.
  mutating func askedAlone(_ key: Int, by node: Int, at now: Duration) {
    let place = place(of: key, node)
    defer { alone[place] = now }
    guard let last = alone[place], now - last < bounds.alone else { return }
    if changing[place, default: 0] > 0 { return }
    if let doubt = doubts[place], doubt >= last { return }
    if let time = reached[node], time >= last { return }
    found(.noHerd, "key \(key) was asked for by \(node) alone at \(now), and at \(last)")
  }

  /// What upstream got in a second after a return.
  struct Second: Equatable, Sendable {
    /// The requests that nodes made for all.
    var shared: Int
    /// Those that they made for themselves, since they believed that the store is away.
    var alone: Int
    /// How many changes the store was told of.
    var changes: Int
  }

  /// A second has passed after a return.
  ///
  /// - Parameters:
  ///   - second: What upstream got.
  ///   - usual: The most requests in a second before anything went wrong.
  ///   - haveNoticed: Whether all must have noticed the return before that second.
  mutating func returned(_ second: Second, usual: Int, haveNoticed: Bool) {
    // What all nodes doubt at once is asked for once.
    let most = usual + keys + second.changes
    if second.shared > most {
      found(.noHerd, "\(second.shared) requests in a second after the return, \(most) may be")
    }
    if haveNoticed, second.alone > 0 {
      found(.noHerd, "\(second.alone) nodes asked alone although all have noticed the return")
    }
  }
}
