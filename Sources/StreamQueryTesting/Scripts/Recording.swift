#if !TSAN_LOCK
// What is inlinable here is compiled where the type of the elements is known: elsewhere each element
// would first have several types looked up.
public import Synchronization
#endif

/// What a sequence has delivered in a simulation, element by element with virtual time.
///
/// Made by `Simulation.record(_:)`. The consuming task lives as long as the recording: dropping
/// the last reference stops it, as `cancel()` does. Optimised code drops a local after its last use:
/// end a test of which that would be too early with `withExtendedLifetime(recording) {}`.
public final class Recording<Element: Sendable>: Sendable {
  /// An element and when it arrived.
  public struct Stamped: Sendable {
    /// Virtual time since the start of the simulation.
    public let time: Duration
    /// What arrived.
    public let element: Element

    /// Creates a stamped element, to compare with.
    ///
    /// - Parameters:
    ///   - time: Virtual time since the start of the simulation.
    ///   - element: What arrived.
    @inlinable
    public init(time: Duration, element: Element) {
      self.time = time
      self.element = element
    }
  }

  @usableFromInline let tape: RecordingTape<Element>
  private let task: Task<Void, Never>
  private let report: @Sendable () -> [String]

  @usableFromInline
  init(
    tape: RecordingTape<Element>,
    task: Task<Void, Never>,
    report: @escaping @Sendable () -> [String]
  ) {
    self.tape = tape
    self.task = task
    self.report = report
  }

  deinit {
    task.cancel()
  }

  /// What has arrived so far, in order.
  ///
  /// - Complexity: O(1): the array is shared until the next element arrives.
  @inlinable public var elements: [Stamped] {
    tape.read { $0.elements }
  }

  /// What has arrived so far, without the times.
  ///
  /// - Complexity: O(*n*) in the number of elements.
  @inlinable public var values: [Element] {
    elements.map { $0.element }
  }

  /// Whether the sequence has ended: by itself, by a failure, or because it was cancelled.
  public var isFinished: Bool {
    tape.read { $0.isFinished }
  }

  /// The error that ended the sequence; `nil` also for what it throws after `cancel()`.
  public var failure: (any Error)? {
    tape.read { $0.failure }
  }

  /// What an element that has not arrived may wait for; nothing once the recording is over.
  var pending: @Sendable () -> [String] {
    { [tape, report] in tape.read { $0.isFinished } ? [] : report() }
  }

  /// Stops consuming.
  ///
  /// The consuming task ends when the simulation is driven next, and lets go of the sequence then.
  public func cancel() {
    task.cancel()
  }
}

extension Recording: CustomStringConvertible {
  /// One line for each element, with its time, and what the simulation waits for.
  ///
  /// As a comment it tells why an expectation of the recording failed:
  /// `#expect(recording.values.last == 3, "\(recording)")`.
  public var description: String {
    let state = isFinished ? "finished" : "goes on"
    let lines = elements.map { "\n    \($0.time) \($0.element)" }.joined()
    let pending = pending()
    return "\(state) after \(elements.count) elements:\(lines)"
      + (pending.isEmpty ? "" : "\n\(PendingReport.text(pending))")
  }
}

extension Recording.Stamped: Equatable where Element: Equatable {}
extension Recording.Stamped: Hashable where Element: Hashable {}

/// What the consuming task writes on: apart from the recording, which it must not keep alive.
@usableFromInline
final class RecordingTape<Element: Sendable>: Sendable {
  @usableFromInline
  struct Content: Sendable {
    @usableFromInline var elements: [Recording<Element>.Stamped] = []
    @usableFromInline var isFinished = false
    @usableFromInline var failure: (any Error)?

    @inlinable
    init() {
      // Most recordings are short, and need not grow then.
      elements.reserveCapacity(8)
    }
  }

  @usableFromInline let content: Mutex<Content>

  @inlinable
  init() {
    content = Mutex(Content())
  }

  @inlinable
  func read<Result: Sendable>(_ body: (Content) -> Result) -> Result {
    content.withLock { body($0) }
  }

  @inlinable
  func append(_ element: Element, at time: Duration) {
    content.withLock { $0.elements.append(.init(time: time, element: element)) }
  }

  @inlinable
  func finish(_ failure: (any Error)?) {
    content.withLock {
      $0.isFinished = true
      $0.failure = failure
    }
  }
}

extension Simulation {
  /// Consumes a sequence in this world and keeps what arrives, with virtual time.
  ///
  /// The sequence is iterated from the next drive on. An active recording does not count as busy
  /// in `isIdle`.
  ///
  /// ```swift
  /// let recording = simulation.record(client.stream(.user(42)))
  /// simulation.advance(by: .seconds(1))
  /// #expect(recording.values.count == 2)
  /// ```
  ///
  /// - Parameter sequence: Any sequence of sendable elements.
  /// - Returns: The recording; keep it for as long as it shall consume.
  @inlinable
  public func record<Base: AsyncSequence & Sendable>(
    _ sequence: Base
  ) -> Recording<Base.Element> where Base.Element: Sendable {
    let tape = RecordingTape<Base.Element>()
    let clock = clock
    let registry = registry
    registry.recordingBegan()
    let task = startRecording {
      defer { registry.recordingEnded() }
      do {
        for try await element in sequence {
          tape.append(element, at: clock.now.offset)
        }
        tape.finish(nil)
      } catch {
        // Asked instead of matching error types: what cancellation throws is not always ours.
        tape.finish(Task.isCancelled ? nil : error)
      }
    }
    return Recording(tape: tape, task: task, report: reportPending)
  }

  /// What is pending whenever it is asked, as long as there is a simulation.
  @usableFromInline var reportPending: @Sendable () -> [String] {
    { [weak self] in self?.pending.lines ?? [] }
  }
}
