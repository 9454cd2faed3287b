// The machines that believe that the store is away, and the costs of its return.
extension NetworkJudge {
  /// A node got an answer of the store, so it may have heard of any change.
  mutating func reached(by node: Int, at now: Duration) { reached[node] = now }

  /// A node begins to change a key.
  ///
  /// Until it has done so, it does not trust its data of the key.
  mutating func changes(_ key: Int, by node: Int) {
    changing[place(of: key, node), default: 0] += 1
  }

  /// A node has changed a key, or tried to.
  mutating func tried(_ key: Int, by node: Int, at now: Duration) {
    let place = place(of: key, node)
    suspicions[place] = now
    changing[place, default: 1] -= 1
  }

  /// A node asks upstream for itself, because it believes that the store is away.
  ///
  /// It does so once for all of its callers: it trusts the answer, unless it hears of a change or makes one.
  mutating func askedAlone(_ key: Int, by node: Int, at now: Duration) {
    let place = place(of: key, node)
    defer { alone[place] = now }
    guard let last = alone[place], now - last < bounds.alone else { return }
    if changing[place, default: 0] > 0 { return }
    if let doubt = suspicions[place], doubt >= last { return }
    if let time = reached[node], time >= last { return }
    found(.noHerd, "key \(key) was asked for by \(node) alone at \(now), and at \(last)")
  }

  /// The requests of upstream in a second after a return.
  struct Second: Equatable, Sendable {
    /// The requests that nodes made for all.
    var shared: Int
    /// The requests that nodes made for themselves, because they believed that the store is away.
    var alone: Int
    /// The number of changes that were reported to the store.
    var changes: Int
  }

  /// A second has passed after a return.
  ///
  /// - Parameters:
  ///   - second: The requests in that second.
  ///   - usual: The most requests in a second before any fault.
  ///   - haveNoticed: Whether all must have noticed the return before that second.
  mutating func returned(_ second: Second, usual: Int, haveNoticed: Bool) {
    // Data that all nodes suspect at once is requested once.
    let most = usual + keys + second.changes
    if second.shared > most {
      found(.noHerd, "\(second.shared) requests in a second after the return, \(most) may be")
    }
    if haveNoticed, second.alone > 0 {
      found(.noHerd, "\(second.alone) nodes asked alone although all have noticed the return")
    }
  }
}
