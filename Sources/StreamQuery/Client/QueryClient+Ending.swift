extension QueryClient {
  /// Stops everything: fetches are cancelled, streams end, callers throw ``QueryError/shutDown`` or
  /// `CancellationError`.
  ///
  /// Later writes are not kept. It takes as long as ``clear()``, plus the time to end the streams.
  public nonisolated func shutDown() {
    end(isErased: false)
  }

  /// Stops waiting for time and signals, for a client that will get no more of them.
  package nonisolated func stopWaiting() {
    sources.cancel()
    timer.cancel()
    signals.finish()
  }

  /// Stops everything, and holds nothing from now on that it held before.
  ///
  /// A client that was shut down can still be erased. What is kept in stores is not touched, but
  /// nothing more is written; ``finishErasure()`` waits for what was on its way.
  nonisolated func erase() {
    erasure.begin()
    end(isErased: true)
  }

  /// Waits until nothing of an erased client is being written, and until all who show its data have
  /// forgotten it.
  nonisolated func finishErasure() async {
    await persisters.persister?.waitUntilOver()
    await erasure.finish()
  }

  private nonisolated func end(isErased: Bool) {
    stopWaiting()
    persisters.end(isErased: isErased)
    transaction { state, transaction in
      // What was kept stays.
      state.stopPersisting()
      state.end(&transaction)
      if isErased { state.forgetFormerRuns(&transaction) }
    }
    shutdownHandlers.finish()
    eventBroadcaster.finish()
    counts.finish()
    mutationNews.finish()
  }
}
