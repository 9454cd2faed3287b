/// The configuration of a ``SharedCache``.
public struct SharedCacheConfiguration: Sendable {
  /// The names of the application and of the tenant: no data of one namespace is seen in another.
  public var namespace: String
  /// How long the right to fetch lasts without a renewal; 10 seconds by default.
  ///
  /// If the machine that fetches dies, the others wait for at most this long. While that machine lives, it
  /// renews the lease after a third of the time, at the latest. The lease must be longer than ``timeout``.
  ///
  /// A query with a short ``StreamQuery/Query/timeout(_:)`` gets a shorter lease: half of the query's
  /// timeout, but no less than the store's ``timeout``. So another machine takes over before the query times
  /// out. If the query's timeout is shorter than the store's, that is impossible: after a machine has died,
  /// the query's fetches fail for up to the store's ``timeout``.
  public var lease = Duration.seconds(10)
  /// How long the store keeps an entry; a day by default.
  public var lifetime = Duration.seconds(86_400)
  /// How long data is trusted while the log of changes is out of reach; 10 seconds by default.
  ///
  /// This time begins when the machine receives the data. So a change on another machine may go unseen for
  /// this time, and for the duration of a fetch that was running when the change was made.
  public var trust = Duration.seconds(10)
  /// How long a fetch waits for other machines before it asks upstream itself; 40 seconds by
  /// default.
  ///
  /// A random part of up to half as much is added, so that many machines do not ask at once. Make this time
  /// longer than a query's ``StreamQuery/Query/timeout(_:)``: then only the machine that asked a hanging
  /// upstream fails, the others learn of that, and no machine asks alone.
  public var answerTimeout = Duration.seconds(40)
  /// How long the store may take to answer a call; a second by default.
  public var timeout = Duration.seconds(1)
  /// The number of times that a fetch begins again because its answer was outdated; 3 by default.
  public var rounds = 3
  /// The longest text of a key, in bytes of UTF-8; 4,096 by default.
  ///
  /// Longer keys are not shared.
  public var maxKeyBytes = 4_096
  /// The largest encoded value, in bytes; a megabyte by default.
  ///
  /// Larger values are not shared: each machine fetches them for itself. The machine that fetched for all
  /// reports ``SharedCacheEvent/alone(key:_:)`` with the reason ``SharedCacheEvent/Reason/tooLarge``, and a
  /// machine that waited for that one with the reason ``SharedCacheEvent/Reason/unshareable``. If you raise
  /// this limit, raise the store's limit as well.
  public var maxValueBytes = 1_048_576
  /// The first and the longest pause before a store that did not answer is asked again; a quarter of a second
  /// and 10 seconds by default.
  public var pauses = (first: Duration.milliseconds(250), longest: Duration.seconds(10))
  /// Makes the text of an error for other machines, in
  /// ``SharedCacheError/failedElsewhere(key:reason:)``; by default its description.
  ///
  /// The text is stored for all machines, and appears in their errors, logs and answers. If descriptions of
  /// errors may contain secrets, such as addresses, tokens or users' data, return another text:
  /// `{ _ in "it failed" }`. At most a thousand characters of the text are sent.
  public var failureText: @Sendable (any Error) -> String = { "\($0)" }
  /// Makes the code of an error that all machines know, such as a missing record; by default, only
  /// the library's errors about the fetched key have one.
  ///
  /// Another machine that waits for the fetch gets the error that its ``failureOfCode`` makes from the code,
  /// so that ``StreamQuery/Query/cachesFailures(_:)``, retries and `catch` work the same on all machines.
  ///
  /// ```swift
  /// var configuration = SharedCacheConfiguration(namespace: "shop")
  /// configuration.failureCode = { ($0 as? APIError).map { "\($0.status)" } }
  /// configuration.failureOfCode = { code in Int(code).map { APIError(status: $0) } }
  /// ```
  ///
  /// At most a hundred characters of the code are sent, beside the text. Codes that begin with `StreamQuery.`
  /// belong to the library's own errors: a fetch that exceeds its ``StreamQuery/Query/timeout(_:)`` on one
  /// machine has timed out for all. An error about another key than the fetched one has no such code.
  public var failureCode: @Sendable (any Error) -> String? = { _ in nil }
  /// Makes the error for a code that another machine's ``failureCode`` made.
  ///
  /// If it returns `nil`, as by default, the error is ``SharedCacheError/failedElsewhere(key:reason:)``.
  ///
  /// A machine that can write to the store can send any code.
  public var failureOfCode: @Sendable (_ code: String) -> (any Error)? = { _ in nil }
  /// Encodes values as bytes, and decodes them.
  public var codec: any SharedCodec = JSONSharedCodec()
  /// Receives events; must be quick.
  ///
  /// Any thread calls it, outside of locks. Events about a fetch come in the fetch's task, with the
  /// task-locals of that task.
  public var onEvent: (@Sendable (SharedCacheEvent) -> Void)?
  /// Further receivers of events, called like ``onEvent``; none by default.
  ///
  /// Use this for a log or metrics, beside the program's own closure in ``onEvent``.
  public var eventReceivers: [@Sendable (SharedCacheEvent) -> Void] = []

  /// Creates a configuration.
  ///
  /// - Parameter namespace: The names of the application and of the tenant.
  public init(namespace: String) {
    self.namespace = namespace
  }
}

extension SharedCacheConfiguration {
  /// The configuration with all times limited: at most 100 years, and long enough that no loop runs
  /// without a pause.
  var bounded: Self {
    func bounded(_ time: Duration, from least: Duration = .milliseconds(1)) -> Duration {
      min(max(time, least), .seconds(100 * 365 * 86_400))
    }
    var copy = self
    copy.lease = bounded(lease, from: .milliseconds(30))
    copy.lifetime = bounded(lifetime)
    copy.trust = bounded(trust, from: .milliseconds(80))
    copy.answerTimeout = bounded(answerTimeout, from: .zero)
    copy.timeout = bounded(timeout)
    copy.rounds = max(0, rounds)
    copy.pauses = (bounded(pauses.first), bounded(pauses.longest))
    return copy
  }
}
