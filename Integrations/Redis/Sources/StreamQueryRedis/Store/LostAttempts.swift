/// Remembers the calls of `RedisStore.begin` whose answers were lost: each may have taken a lease that no
/// caller knows.
struct LostAttempts: Equatable {
  /// The maximum number of keys that are remembered; after that, the oldest key is forgotten.
  ///
  /// An attempt matters only until the lease that it may have taken ends. In that time, fewer keys than this
  /// are expected to lose an answer.
  static let keys = 1_024
  /// The maximum number of attempts that are remembered for each key.
  static let attempts = 8

  private var names: [String: [String]] = [:]
  /// The keys in the order of their first lost attempt.
  private var order: [String] = []

  /// The lost attempts for a key.
  ///
  /// - Parameter key: The text of the key.
  /// - Returns: The names of the attempts, oldest first.
  func of(_ key: String) -> [String] { names[key] ?? [] }

  /// Remembers an attempt that lost its answer.
  ///
  /// - Parameters:
  ///   - name: The name of the attempt.
  ///   - key: The text of the key.
  mutating func lost(_ name: String, of key: String) {
    if names[key] == nil { order.append(key) }
    names[key] = of(key).suffix(Self.attempts - 1) + [name]
    if order.count > Self.keys { names[order.removeFirst()] = nil }
  }

  /// Forgets lost attempts, because the server has answered a later attempt that named them.
  ///
  /// - Parameters:
  ///   - known: The names of the lost attempts.
  ///   - key: The text of the key.
  mutating func settled(_ known: [String], of key: String) {
    guard !known.isEmpty, let all = names[key] else { return }
    let rest = all.filter { !known.contains($0) }
    names[key] = rest.isEmpty ? nil : rest
    if rest.isEmpty { order.removeAll { $0 == key } }
  }
}
