/// Decides when a server that has lost its socket tries to listen again.
///
/// A system may take sockets away, as iOS does in the background. The first try comes at once, so that pages
/// do not notice. Each further try comes after a longer pause. After the last try, the server is given up.
///
/// | input | effect |
/// |---|---|
/// | `lost`, after ``steadyTime`` | the tries begin anew |
/// | `lost`, sooner; `refused` | the next try, after its pause; after the last try, the server is given up |
struct RestartPlan: Equatable, Sendable {
  /// If a server has listened for this long, it has worked: after a loss, the tries begin anew.
  static let steadyTime = Duration.seconds(60)

  /// The pauses before the tries.
  private let pauses: [Duration]
  private var tries = 0

  init(pauses: [Duration] = [.zero, .seconds(1), .seconds(2), .seconds(5), .seconds(10)]) {
    self.pauses = pauses
  }

  /// Decides about the next try after the socket was lost.
  ///
  /// - Parameter time: How long the server has listened.
  /// - Returns: The pause before the next try; `nil` to give the server up.
  mutating func lost(after time: Duration) -> Duration? {
    if time >= Self.steadyTime { tries = 0 }
    return refused()
  }

  /// Decides about the next try after one has failed.
  ///
  /// - Returns: The pause before the next try; `nil` to give the server up.
  mutating func refused() -> Duration? {
    guard tries < pauses.count else { return nil }
    defer { tries += 1 }
    return pauses[tries]
  }
}
