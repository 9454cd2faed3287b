/// An error on the heap, so that a transaction can hand it out of the lock as one reference.
package final class ErrorBox: Sendable {
  package let error: any Error

  package init(_ error: any Error) {
    self.error = error
  }
}
