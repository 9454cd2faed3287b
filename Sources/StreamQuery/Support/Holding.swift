import Synchronization

/// Keeps an object alive while it does its part in a cancellation.
///
/// An executor may run jobs inside `enqueue`. The waiter then finishes before `resume` returns, and
/// its stack frame is released with everything that was captured there, including the object whose
/// method is running. The compiler assumes that a closure keeps its captures for as long as it
/// runs, so it may optimise away a copy of the reference. What is stored behind a lock stays.
///
/// - Parameters:
///   - object: The object that must outlive the body.
///   - body: Resumes the waiter.
func holding<Object: AnyObject & Sendable>(_ object: Object, _ body: () -> Void) {
  let held = Mutex<Object?>(object)
  body()
  _ = held.withLock { $0.take() }
}
