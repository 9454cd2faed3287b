/// Asks the system for time to work after the app has left the screen.
struct BackgroundTime: Sendable {
  /// Gives the time back; may be called more than once.
  typealias End = @Sendable () -> Void

  /// Asks for time.
  ///
  /// The work goes on whether or not there is any: the system may suspend it.
  let begin: @Sendable (_ reason: String) -> End

  #if canImport(Darwin) && !os(macOS)
  /// That of this system; `nil` where apps go on running.
  static var platformDefault: Self? { system }
  #else
  /// That of this system; `nil` where apps go on running.
  static var platformDefault: Self? { nil }
  #endif
}
