import ServiceLifecycle

/// Lets a service wait for its end.
package enum ServiceEnd {
  /// Waits for a graceful shutdown or a cancellation.
  ///
  /// This function does not use `gracefulShutdown()` of ServiceLifecycle, which makes tasks without an
  /// executor preference.
  package static func wait() async {
    let (shutdown, continuation) = AsyncStream.makeStream(of: Never.self)
    await withGracefulShutdownHandler {
      for await _ in shutdown {}
    } onGracefulShutdown: {
      continuation.finish()
    }
  }
}
