/// Retained only by the completion-style work, so that its `deinit` shows that the work forgot to
/// call.
final class CompletionToken<Value: Sendable>: Sendable {
  let once: CompletionOnce<Value>

  init(once: CompletionOnce<Value>) {
    self.once = once
  }

  deinit {
    once.abandon()
  }
}
