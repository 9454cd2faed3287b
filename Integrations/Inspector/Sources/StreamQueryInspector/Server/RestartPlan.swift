/// Decides when a server that has lost its socket listens again.
///
/// A system takes sockets away: that of iOS those of an app in the background. So the first try comes at once, and
/// pages do not notice. The next ones come after longer and longer pauses, until the server is given up.
///
/// | input | effect |
/// |---|---|
/// | `lost`, after a while | the tries begin anew |
/// | `lost`, soon; `refused` | the next try, after its pause; without one it is given up |
struct RestartPlan: Equatable, Sendable {
  /// How long a server has to listen to count as one that works.
  static let steadyTime = Duration.seconds(60)

  /// The pauses before the tries.
  private let pauses: [Duration]
  private var tries = 0

  init(pauses: [Duration] = [.zero, .seconds(1), .seconds(2), .seconds(5), .seconds(10)]) {
    self.pauses = pauses
  }

  /// The socket was lost.
  ///
  /// - Parameter time: How long the server has listened.
  /// - Returns: The pause before the next try; `nil` if it is given up.
  mutating func lost(after time: Duration) -> Duration? {
    if time >= Self.steadyTime { tries = 0 }
    return refused()
  }

  /// A try has failed.
  ///
  /// - Returns: The pause before the next one; `nil` if it is given up.
  mutating func refused() -> Duration? {
    guard tries < pauses.count else { return nil }
    defer { tries += 1 }
    return pauses[tries]
  }
}
