import Synchronization

/// Tells receivers how many hits took no lock.
///
/// The first hit after a report asks for the next one, so that a client whose entries nobody hits has
/// no timer for it. See ``EventReceiver``.
final class HitReports: Sendable {
  private let shards: ReadShards
  private let receivers: [@Sendable (_ key: AnyQueryKey, _ count: Int) -> Void]
  private let timer = WakeTimer()
  private let isOver = Atomic(false)

  /// Creates reports; `nil` if nobody receives them, or no hit passes the lock.
  init?(_ configuration: QueryClient.Configuration, _ shards: ReadShards?) {
    receivers = configuration.eventReceivers.compactMap(\.hits)
    guard let shards, !receivers.isEmpty else { return nil }
    self.shards = shards
  }

  /// There are hits that nobody was told of.
  func hitsCame(_ clock: ErasedClock, executor: (any TaskExecutor)?) {
    // Of a reader that was given data as the client ended.
    guard !isOver.load(ordering: .acquiring) else { return tell() }
    let now = clock.now()
    guard let due = now + EventReceiver.hitDelay else { return tell() }
    timer.arm(due, at: now, executor: executor) {
      WakeTimer.Work(
        sleep: clock.sleep,
        onWake: { [weak self] in self?.tell() },
        // Without a clock, hits are told as they come.
        onFailure: { [weak self] _, _ in self?.tell() }
      )
    }
  }

  /// No time passes any more: what nobody was told of is told as the client ends.
  func stopWaiting() {
    timer.cancel()
  }

  /// The client has ended: what nobody was told of is told now.
  func end() {
    isOver.store(true, ordering: .releasing)
    timer.cancel()
    tell()
  }

  private func tell() {
    let hits = shards.takeHits().map { (key: $0.key, count: $0.uses.take()) }
    guard !hits.isEmpty else { return }
    TaskLocals.none { [receivers] in
      for (key, count) in hits where count > 0 {
        for receiver in receivers { receiver(key, count) }
      }
    }
  }
}
