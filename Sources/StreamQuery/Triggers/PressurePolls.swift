/// Looks at an account of memory pressure again and again, first at once.
///
/// It ends when its task is cancelled, or when there is nothing to read any more.
struct PressurePolls: AsyncSequence, Sendable {
  typealias Element = MemoryPressure.Level

  let interval: Duration
  /// Reads the account; `nil` if there is none.
  let read: (@Sendable () -> String?)?

  func makeAsyncIterator() -> Iterator { Iterator(polls: self) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let polls: PressurePolls
    private var isFirst = true

    fileprivate init(polls: PressurePolls) {
      self.polls = polls
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> MemoryPressure.Level? {
      guard let read = polls.read else { return nil }
      if !isFirst {
        let clock = Scheduling.current.clock
        // The shortest wait keeps a mistake from taking a whole processor.
        let wait = Swift.max(polls.interval, .milliseconds(100))
        do { try await clock.sleep(for: wait) } catch { return nil }
      }
      isFirst = false
      // The file may be gone, or hold something else, with the next kernel.
      return read().flatMap(PressureReading.init)?.level
    }
  }
}

/// One iterator has one observer.
@available(*, unavailable)
extension PressurePolls.Iterator: Sendable {}
