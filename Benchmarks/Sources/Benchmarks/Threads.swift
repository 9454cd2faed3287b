import Foundation
import Synchronization

/// Threads that begin together.
enum Threads {
  /// Runs a body on so many threads.
  ///
  /// - Parameters:
  ///   - count: The number of threads.
  ///   - body: The work of a thread, which gets the thread's number.
  /// - Returns: The nanoseconds until the last thread is done.
  static func run(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) -> Double {
    let clock = ContinuousClock()
    let group = DispatchGroup()
    let gate = Gate()
    for thread in 0..<count {
      group.enter()
      Thread.detachNewThread {
        gate.arrive()
        body(thread)
        group.leave()
      }
    }
    gate.wait(for: count)
    // The time is read before the gate opens, because this thread may be the last to run again.
    let start = clock.now
    gate.open()
    group.wait()
    return nanoseconds(clock.now - start)
  }

  /// Lets threads start together.
  private final class Gate: Sendable {
    private let arrived = Atomic<Int>(0)
    private let isOpen = Atomic<Bool>(false)

    func arrive() {
      arrived.add(1, ordering: .releasing)
      while !isOpen.load(ordering: .acquiring) { Thread.sleep(forTimeInterval: 0.000_02) }
    }

    func wait(for threads: Int) {
      while arrived.load(ordering: .acquiring) < threads { Thread.sleep(forTimeInterval: 0.000_02) }
    }

    func open() {
      isOpen.store(true, ordering: .releasing)
    }
  }
}
