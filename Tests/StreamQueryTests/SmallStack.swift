import Foundation
import Synchronization

/// Runs a body on a thread with a stack of 512 kB, which is what threads get that nobody asked for
/// more.
///
/// - Parameter body: What to run; what it makes it should drop as well.
/// - Returns: What it returned.
func onSmallStack<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
  let answer = Answer<Result>()
  let isDone = DispatchSemaphore(value: 0)
  let thread = Thread {
    let result = body()
    answer.result.withLock { $0 = result }
    isDone.signal()
  }
  thread.stackSize = 512 * 1_024
  thread.start()
  isDone.wait()
  return answer.result.withLock { $0 }
}

private final class Answer<Result: Sendable>: Sendable {
  let result = Mutex<Result?>(nil)
}
