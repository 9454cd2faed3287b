public import StreamQuery

/// The parts of a result that a test usually checks: status, fetch status, data and error.
///
/// Errors are compared by type and description, because errors are not `Equatable`.
///
/// ```swift
/// #expect(recording.summaries == [.pending(isFetching: true), .success(ada)])
/// ```
public struct ResultSummary<Value: Sendable>: Sendable, CustomStringConvertible {
  /// Whether the result has data, an error, or neither yet.
  public let status: QueryStatus
  /// The state of the result's fetch.
  public let fetchStatus: FetchStatus
  /// The data.
  public let data: Value?
  /// The type and the description of the error.
  public let error: String?
  /// Whether the data is a placeholder.
  public let isPlaceholderData: Bool

  /// Creates the summary of a result.
  ///
  /// - Parameter result: The result.
  public init(_ result: QueryResult<Value>) {
    self.init(
      result.status,
      result.fetchStatus,
      data: result.data,
      error: result.error,
      isPlaceholderData: result.isPlaceholderData
    )
  }

  private init(
    _ status: QueryStatus,
    _ fetchStatus: FetchStatus,
    data: Value?,
    error: (any Error)? = nil,
    isPlaceholderData: Bool = false
  ) {
    self.status = status
    self.fetchStatus = fetchStatus
    self.data = data
    self.error = error.map { "\(type(of: $0)): \($0)" }
    self.isPlaceholderData = isPlaceholderData
  }

  /// Creates the summary of a result without data.
  ///
  /// - Parameter isFetching: Whether a fetch runs.
  /// - Returns: The summary.
  public static func pending(isFetching: Bool = false) -> Self {
    Self(.pending, isFetching ? .fetching : .idle, data: nil)
  }

  /// Creates the summary of a result without data, in any fetch status.
  ///
  /// - Parameter fetchStatus: The state of the fetch.
  /// - Returns: The summary.
  public static func pending(_ fetchStatus: FetchStatus) -> Self {
    Self(.pending, fetchStatus, data: nil)
  }

  /// Creates the summary of a result with data.
  ///
  /// - Parameters:
  ///   - data: The data.
  ///   - isFetching: Whether a fetch runs.
  /// - Returns: The summary.
  public static func success(_ data: Value, isFetching: Bool = false) -> Self {
    Self(.success, isFetching ? .fetching : .idle, data: data)
  }

  /// Creates the summary of a result with data, in any fetch status.
  ///
  /// - Parameters:
  ///   - data: The data.
  ///   - fetchStatus: The state of the fetch.
  /// - Returns: The summary.
  public static func success(_ data: Value, _ fetchStatus: FetchStatus) -> Self {
    Self(.success, fetchStatus, data: data)
  }

  /// Creates the summary of a result with a placeholder.
  ///
  /// - Parameters:
  ///   - data: The placeholder.
  ///   - isFetching: Whether the real data is being fetched.
  /// - Returns: The summary.
  public static func placeholder(_ data: Value, isFetching: Bool = false) -> Self {
    Self(.success, isFetching ? .fetching : .idle, data: data, isPlaceholderData: true)
  }

  /// Creates the summary of a failed result.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - lastGood: The data of the result, from before the error.
  ///   - fetchStatus: The state of the fetch.
  /// - Returns: The summary.
  public static func failure(
    _ error: any Error,
    lastGood: Value? = nil,
    _ fetchStatus: FetchStatus = .idle
  ) -> Self {
    Self(.error, fetchStatus, data: lastGood, error: error)
  }

  /// One line with the status and the other properties, as far as they are set.
  public var description: String {
    var line = ".\(status)"
    if let data { line += " \(data)" }
    if let error { line += " [\(error)]" }
    if isPlaceholderData { line += " placeholder" }
    if fetchStatus != .idle { line += " \(fetchStatus)" }
    return line
  }
}

extension ResultSummary: Equatable where Value: Equatable {}

extension ResultRecording where Element: SummarizableResult {
  /// Summaries of the recorded results, in order.
  ///
  /// A failed comparison shows one summary in a line, marks the differences and, if the recording has not
  /// ended, shows the waits of the simulation.
  public var summaries: CollectedSnapshots<ResultSummary<Element.Value>> {
    CollectedSnapshots(recorded: values.map(\.summary), pending: pending)
  }

  /// Summaries of the recorded results with their virtual times; they are compared like ``summaries``.
  public var timeline: CollectedSnapshots<TimedSummary<Element.Value>> {
    CollectedSnapshots(
      recorded: elements.map { TimedSummary(at: $0.time, $0.element.summary) },
      pending: pending
    )
  }
}

/// The summary of a recorded result, with the virtual time of its arrival.
///
/// ```swift
/// let last = TimedSummary(at: .milliseconds(1030), .success(ada))
/// #expect(recording.timeline.last == last)
/// ```
public struct TimedSummary<Value: Sendable>: Sendable, CustomStringConvertible {
  /// Virtual time since the simulation's start.
  public let time: Duration
  /// The summary.
  public let summary: ResultSummary<Value>

  /// Creates a timed summary.
  ///
  /// - Parameters:
  ///   - time: Virtual time since the simulation's start.
  ///   - summary: The summary.
  public init(at time: Duration, _ summary: ResultSummary<Value>) {
    self.time = time
    self.summary = summary
  }

  /// The time and the summary.
  public var description: String { "\(time) \(summary)" }
}

extension TimedSummary: Equatable where Value: Equatable {}

/// A result of which a recording makes a summary; only `QueryResult` conforms to it.
public protocol SummarizableResult: Sendable {
  /// The type of the data.
  associatedtype Value: Sendable

  /// The summary of the result.
  var summary: ResultSummary<Value> { get }
}

extension QueryResult: SummarizableResult {
  /// The summary of the result.
  public var summary: ResultSummary<Value> { ResultSummary(self) }
}
