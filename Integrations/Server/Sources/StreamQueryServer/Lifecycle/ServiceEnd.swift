import ServiceLifecycle

/// The wait for the end of a service.
package enum ServiceEnd {
  /// Waits for a graceful shutdown or a cancellation.
  ///
  /// It does not use the library's own `gracefulShutdown()`, which makes tasks without an executor
  /// preference.
  package static func wait() async {
    let (shutdown, continuation) = AsyncStream.makeStream(of: Never.self)
    await withGracefulShutdownHandler {
      for await _ in shutdown {}
    } onGracefulShutdown: {
      continuation.finish()
    }
  }
}
