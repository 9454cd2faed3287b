import Synchronization

/// Keeps an object while its part in a cancellation is done.
///
/// An executor may run jobs inside `enqueue`. Under it whoever waits is through before `resume`
/// returns, and gone with it are its frame and all that was captured there, the object whose method is
/// running included. The compiler counts on a closure to keep its captures for as long as it runs, so
/// that a copy of the reference may be optimised away; what is stored behind a lock stays.
///
/// - Parameters:
///   - object: What must outlive the body.
///   - body: Tells whoever waits.
func holding<Object: AnyObject & Sendable>(_ object: Object, _ body: () -> Void) {
  let held = Mutex<Object?>(object)
  body()
  _ = held.withLock { $0.take() }
}
