/// What becomes of a kept run whose attempts have failed.
package enum RunAnswer: Sendable {
  /// It fails.
  case fail
  /// It waits until somebody answers.
  case stop
  /// Another attempt begins after a wait.
  case retry(after: TimeSpan)
  /// It is another request from now on, with another input and the layers of that, which is sent
  /// after a wait.
  case rebase(ValueBox, [PlannedLayer], after: TimeSpan)
}
