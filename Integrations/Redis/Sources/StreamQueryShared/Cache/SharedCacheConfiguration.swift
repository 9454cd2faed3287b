/// How a ``SharedCache`` shares.
public struct SharedCacheConfiguration: Sendable {
  /// The application, and the tenant: nothing of one namespace is ever seen in another.
  public var namespace: String
  /// How long the right to fetch lasts without a sign of life; 10 seconds by default.
  ///
  /// If the machine that fetches dies, the others wait for at most this long. While it lives, it
  /// renews the lease when a third of it is over, at the latest. Longer than ``timeout``.
  ///
  /// If the ``StreamQuery/Query/timeout(_:)`` of a query is less than twice this, its lease is half of
  /// that timeout, but no less than ``timeout``, so that another machine takes over in time. If a
  /// query's timeout is shorter than the store may take, its fetches fail for that long when a
  /// machine dies.
  public var lease = Duration.seconds(10)
  /// How long the store keeps an entry; a day by default.
  public var lifetime = Duration.seconds(86_400)
  /// How long data is trusted while the log of changes is out of reach; 10 seconds by default.
  ///
  /// It counts from when the data landed. So a change on another machine may go unseen for this
  /// long, and for as long as a fetch takes that was running when the change was made.
  public var trust = Duration.seconds(10)
  /// How long a fetch waits for other machines before it asks upstream itself; 40 seconds by
  /// default.
  ///
  /// The wait is between this and half as much more, at random, so that many machines do not ask at
  /// once. Longer than a query's ``StreamQuery/Query/timeout(_:)``: then an upstream that hangs is a
  /// failure of the one machine that asked, which the others learn of, and nobody asks alone.
  public var answerTimeout = Duration.seconds(40)
  /// How long the store may take to answer; a second by default.
  public var timeout = Duration.seconds(1)
  /// How often a fetch begins again because its answer was outdated when it came; 3 by default.
  public var rounds = 3
  /// The longest text of a key, in bytes of UTF-8; 4,096 by default.
  ///
  /// Longer ones are not shared.
  public var maxKeyBytes = 4_096
  /// The largest encoded value, in bytes; a megabyte by default.
  ///
  /// Larger values are not shared: each machine fetches them for itself. The machine that fetched for
  /// all reports ``SharedCacheEvent/alone(key:_:)`` with the reason
  /// ``SharedCacheEvent/Reason/tooLarge``, and a machine that waited for it with the reason
  /// ``SharedCacheEvent/Reason/unshareable``. If you raise this limit, raise that of the store as well.
  public var maxValueBytes = 1_048_576
  /// The first and the longest pause after which a store that is away is asked again; a quarter of
  /// a second and 10 seconds by default.
  public var pauses = (first: Duration.milliseconds(250), longest: Duration.seconds(10))
  /// The text of an error that other machines get when a fetch fails here, in
  /// ``SharedCacheError/failedElsewhere(key:reason:)``; by default its description.
  ///
  /// It is stored for all machines, and ends up in their errors, logs and answers. If descriptions of
  /// errors may have what others must not read, such as addresses, tokens or users' data, return a
  /// text without it: `{ _ in "it failed" }`. At most a thousand characters of it are sent.
  public var failureText: @Sendable (any Error) -> String = { "\($0)" }
  /// The code of an error that all machines know, such as that something does not exist; by default
  /// only those errors of the library have one that are about the fetched key.
  ///
  /// Another machine, which waits for the fetch, gets what its ``failureOfCode`` makes of it, so that
  /// ``StreamQuery/Query/cachesFailures(_:)``, retries and `catch` mean the same on all machines.
  ///
  /// ```swift
  /// var configuration = SharedCacheConfiguration(namespace: "shop")
  /// configuration.failureCode = { ($0 as? APIError).map { "\($0.status)" } }
  /// configuration.failureOfCode = { code in Int(code).map { APIError(status: $0) } }
  /// ```
  ///
  /// At most a hundred characters of it are sent, beside the text. Codes that begin with
  /// `StreamQuery.` are those of the library's own errors: a fetch that took longer than
  /// ``StreamQuery/Query/timeout(_:)`` allows on the machine that asked has timed out for all machines.
  /// No such code has a key: an error about another key than the fetched one has none.
  public var failureCode: @Sendable (any Error) -> String? = { _ in nil }
  /// The error for a code that the ``failureCode`` of another machine gave; `nil`, which is the
  /// default, for ``SharedCacheError/failedElsewhere(key:reason:)``.
  ///
  /// A machine that can write to the store can send any code.
  public var failureOfCode: @Sendable (_ code: String) -> (any Error)? = { _ in nil }
  /// How values become bytes.
  public var codec: any SharedCodec = JSONSharedCodec()
  /// Receives what happens; must be quick.
  ///
  /// It is called outside of locks, by any thread. What happens to a fetch is told in that fetch's task,
  /// with its task-locals.
  public var onEvent: (@Sendable (SharedCacheEvent) -> Void)?
  /// Further receivers of what happens, on the terms of ``onEvent``; none by default.
  ///
  /// For what is attached beside the program's own closure, such as a log or metrics.
  public var eventReceivers: [@Sendable (SharedCacheEvent) -> Void] = []

  /// Creates a configuration.
  ///
  /// - Parameter namespace: The application, and the tenant.
  public init(namespace: String) {
    self.namespace = namespace
  }
}

extension SharedCacheConfiguration {
  /// The same with times that can be waited for, and that end no loop at once: up to 100 years.
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
