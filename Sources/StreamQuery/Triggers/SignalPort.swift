import Synchronization

/// Merges the signals of a client (time, network, app, triggers) into one queue, which one loop consumes.
///
/// The loop is started with the first signal source, so that a client that only reads and writes starts no
/// task. The port has a queue of its own, because each timer that fires goes through it, and an `AsyncStream`
/// takes several times as long for an element.
final class SignalPort: Sendable {
  /// A signal on its way to the loop, and the waiter for the signal's completion.
  struct Delivery: Sendable {
    let signal: Signal
    let receipt: SharedOneShot<Void>?
  }

  private let mailbox = Mailbox<SignalQueue>()
  private let isOpen = Atomic(false)

  func send(_ signal: Signal, receipt: SharedOneShot<Void>? = nil) {
    guard isOpen.load(ordering: .acquiring) else { return }
    mailbox.receive(Delivery(signal: signal, receipt: receipt))
  }

  /// Forwards the elements of a source, each after the client has handled the one before.
  ///
  /// This ends with the source, with a failure of the source, or with the task. When the loop is over, no
  /// element is handled any more, and the caller has to cancel this task.
  func forward<Source: AsyncSequence>(
    _ source: Source,
    _ signal: (Source.Element) -> Signal
  ) async {
    do {
      for try await element in source {
        guard !Task.isCancelled else { return }
        let receipt = SharedOneShot<Void>()
        send(signal(element), receipt: receipt)
        let isHandled: Void? = await withTaskCancellationHandler {
          await receipt.wait()
        } onCancel: {
          receipt.close()
        }
        guard isHandled != nil else { return }
      }
    } catch {
      // A failed source sends no more elements, and its owner knows of the failure: nothing to do here.
    }
  }

  /// Whether a loop has to be started; `true` only once.
  func open() -> Bool {
    guard !isOpen.load(ordering: .relaxed), !mailbox.isClosed else { return false }
    return !isOpen.exchange(true, ordering: .acquiringAndReleasing)
  }

  /// The next signal, as soon as there is one, for the loop; `nil` once the port is finished and empty.
  func next() async -> Delivery? { await mailbox.next() }

  /// Closes the port: earlier signals are still taken, later ones are not.
  func finish() { mailbox.close(isDrained: true) }
}
