#if !TSAN_LOCK
// The import is public, because inlinable functions use `Mutex`. They are inlinable so that they are compiled
// for the type of the elements; otherwise several types would be looked up for each element.
public import Synchronization
#endif

/// The elements that a sequence has delivered in a simulation, with their virtual times.
///
/// `Simulation.record(_:)` makes it. The task that consumes the sequence lives as long as the recording: the
/// release of the last reference stops the task, like `cancel()`. Optimised code releases a local variable
/// after its last use. If that is too early, end the test with `withExtendedLifetime(recording) {}`.
public final class ResultRecording<Element: Sendable>: Sendable {
  /// An element and the virtual time of its arrival.
  public struct Stamped: Sendable {
    /// Virtual time since the start of the simulation.
    public let time: Duration
    /// The element.
    public let element: Element

    /// Creates an element with its time, for a comparison.
    ///
    /// - Parameters:
    ///   - time: Virtual time since the start of the simulation.
    ///   - element: The element.
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

  /// The elements that have arrived so far, in order, with their times.
  ///
  /// - Complexity: O(1): the array is shared until the next element arrives.
  @inlinable public var elements: [Stamped] {
    tape.read { $0.elements }
  }

  /// The elements that have arrived so far, without the times.
  ///
  /// - Complexity: O(*n*) in the number of elements.
  @inlinable public var values: [Element] {
    elements.map { $0.element }
  }

  /// Whether the sequence has ended: normally, by a failure, or because it was cancelled.
  public var isFinished: Bool {
    tape.read { $0.isFinished }
  }

  /// The error that ended the sequence; `nil` if there was no error, or if it came after `cancel()`.
  public var failure: (any Error)? {
    tape.read { $0.failure }
  }

  /// Returns lines about the simulation's waits, which may keep an element from arriving; empty after the
  /// end.
  var pending: @Sendable () -> [String] {
    { [tape, report] in tape.read { $0.isFinished } ? [] : report() }
  }

  /// Stops the recording.
  ///
  /// The consuming task ends when the simulation is driven next, and then releases the sequence.
  public func cancel() {
    task.cancel()
  }
}

extension ResultRecording: CustomStringConvertible {
  /// The elements with their times, one in a line, and the waits of the simulation.
  ///
  /// Use the description as a comment that explains why an expectation about the recording failed:
  /// `#expect(recording.values.last == 3, "\(recording)")`.
  public var description: String {
    let state = isFinished ? "finished" : "goes on"
    let lines = elements.map { "\n    \($0.time) \($0.element)" }.joined()
    let pending = pending()
    return "\(state) after \(elements.count) elements:\(lines)"
      + (pending.isEmpty ? "" : "\n\(PendingReport.text(pending))")
  }
}

extension ResultRecording.Stamped: Equatable where Element: Equatable {}
extension ResultRecording.Stamped: Hashable where Element: Hashable {}

/// The elements that the consuming task has received.
///
/// It is not a part of the recording, because the task must not keep the recording alive.
@usableFromInline
final class RecordingTape<Element: Sendable>: Sendable {
  @usableFromInline
  struct Content: Sendable {
    @usableFromInline var elements: [ResultRecording<Element>.Stamped] = []
    @usableFromInline var isFinished = false
    @usableFromInline var failure: (any Error)?

    @inlinable
    init() {
      // Memory for eight elements is allocated at once, because most recordings are that short.
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
  /// Consumes a sequence in this simulation and records its elements with virtual times.
  ///
  /// The iteration begins when the simulation is driven next. An active recording does not count as busy in
  /// `isIdle`.
  ///
  /// ```swift
  /// let recording = simulation.record(client.stream(.user(42)))
  /// simulation.advance(by: .seconds(1))
  /// #expect(recording.values.count == 2)
  /// ```
  ///
  /// - Parameter sequence: Any sequence of sendable elements.
  /// - Returns: The recording; retain it for as long as it is to record.
  @inlinable
  public func record<Base: AsyncSequence & Sendable>(
    _ sequence: Base
  ) -> ResultRecording<Base.Element> where Base.Element: Sendable {
    let tape = RecordingTape<Base.Element>()
    let clock = clock
    let task = startRecording {
      do {
        for try await element in sequence {
          tape.append(element, at: clock.now.offset)
        }
        tape.finish(nil)
      } catch {
        // The task is asked whether it was cancelled, because the error of a cancellation may have any type.
        tape.finish(Task.isCancelled ? nil : error)
      }
    }
    return ResultRecording(tape: tape, task: task, report: reportPending)
  }

  /// Returns lines about the simulation's waits; none after the simulation is released.
  @usableFromInline var reportPending: @Sendable () -> [String] {
    { [weak self] in self?.pending.lines ?? [] }
  }
}
