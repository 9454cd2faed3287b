public import StreamQuery
import Synchronization
public import Tracing

/// Traces the fetches of a cache, with swift-distributed-tracing.
///
/// ```swift
/// var configuration = QueryClient.Configuration.server
/// configuration.trace()
/// ```
///
/// Each fetch has one span for all of its attempts. The span's parent is the span of the caller that started
/// the fetch; a fetch without a caller, such as one after an interval, is the root of a trace. While an
/// attempt runs, the span's context is the current one: an HTTP client that the query's code calls, for
/// example, continues the trace.
///
/// Callers that join the fetch have traces of their own, which do not show why they wait. So the fetch's
/// span has a link to the current span of each caller, up to ``maximumLinks``. A caller that comes as the
/// fetch ends may be missing. Observers do not wait, and have no link.
///
/// | attribute | |
/// |---|---|
/// | `streamquery.key` | the key, as it describes itself |
/// | `streamquery.cause` | why the fetch was started |
/// | `streamquery.fetch` | the fetch, as in the log |
/// | `streamquery.attempts` | how many attempts were made |
/// | `streamquery.joined` | how many traced callers joined the fetch |
/// | `streamquery.outcome` | `succeeded`, `notModified`, `failed` or `cancelled` |
///
/// The error of each attempt is recorded, and the status of the span is `error` if the fetch failed
/// for good.
public final class QueryTracing: Sendable {
  /// The maximum number of links of a span; OpenTelemetry's default limit.
  public static let maximumLinks = 128

  /// The span of the fetch whose attempt runs in this task; `nil` outside of traced attempts.
  ///
  /// Use the span for attributes of your own. Do not end it: the fetch does that.
  ///
  /// ```swift
  /// let user = Query("users", id) {
  ///   let answer = try await api.answer(for: id)
  ///   QueryTracing.currentSpan?.attributes["api.region"] = answer.region
  ///   return answer.user
  /// }
  /// ```
  public static var currentSpan: (any Span)? { span }
  @TaskLocal private static var span: (any Span)?

  private typealias Fetches = TracedFetches<FetchIdentity, any Span, ServiceContext>

  private let tracer: (any Tracer)?
  private let name: @Sendable (AnyQueryKey) -> String
  private let describeKey: @Sendable (AnyQueryKey) -> String
  private let fetches = Mutex(Fetches(limit: maximumLinks))

  /// Creates tracing, for any number of clients.
  ///
  /// - Parameters:
  ///   - tracer: Makes spans; `nil` is the bootstrapped tracer at the time of each fetch.
  ///   - name: Makes the name of the span of a key's fetch; there should be few different names.
  ///   - describeKey: Makes the text of a key.
  public init(
    tracer: (any Tracer)? = nil,
    name: @escaping @Sendable (AnyQueryKey) -> String = { _ in "query.fetch" },
    describeKey: @escaping @Sendable (AnyQueryKey) -> String = { $0.description }
  ) {
    self.tracer = tracer
    self.name = name
    self.describeKey = describeKey
  }

  /// Records an event; the event that ends a fetch also ends its span.
  ///
  /// - Parameter event: The event.
  func record(_ event: QueryEvent) {
    guard let fetch = event.fetch else { return }
    switch event.kind {
    case .fetchStarted: fetches.withLock { $0.started(fetch) }
    case .attemptFailed(let error, let count, _):
      let span = fetches.withLock { $0.span(of: fetch) }
      span?.recordError(error, attributes: ["streamquery.attempt": .int64(Int64(count))])
    case .fetchSucceeded: end(fetch, event.isNotModified ? "notModified" : "succeeded")
    case .fetchFailed(let error): end(fetch, "failed", error)
    case .fetchCancelled: end(fetch, "cancelled")
    default: break
    }
  }

  private func end(_ fetch: FetchIdentity, _ outcome: String, _ error: (any Error)? = nil) {
    guard let row = fetches.withLock({ $0.ended(fetch) }), let span = row.span else { return }
    if let error {
      span.recordError(error)
      span.setStatus(SpanStatus(code: .error))
    }
    span.updateAttributes { attributes in
      attributes["streamquery.attempts"] = row.attempts
      attributes["streamquery.joined"] = row.joined
      attributes["streamquery.outcome"] = outcome
    }
    span.end()
  }
}

extension QueryTracing: FetchCompanion {
  /// Links the fetch's span to the span of a caller that joins the fetch.
  ///
  /// - Parameter wait: The key and the fetch that the caller waits for.
  public func callerWaits(_ wait: FetchWait) {
    guard wait.isJoining, let context = ServiceContext.current else { return }
    let span = fetches.withLock { $0.joined(wait.fetch, from: context) }
    span?.addLink(SpanLink(context: context, attributes: [:]))
  }

  /// Runs an attempt inside the fetch's span; the first attempt opens the span.
  ///
  /// - Parameters:
  ///   - context: The attempt.
  ///   - perform: Runs the attempt.
  /// - Returns: The result of `perform`.
  /// - Throws: The error of `perform`.
  public func attempt<Value: Sendable>(
    _ context: FetchContext,
    perform: AccompaniedAttempt<Value>
  ) async throws -> Value {
    guard let span = span(of: context) else { return try await perform() }
    return try await ServiceContext.$current.withValue(span.context) {
      try await Self.$span.withValue(span) { try await perform() }
    }
  }

  /// The span of an attempt's fetch; `nil` if the fetch was cancelled before its task began.
  private func span(of context: FetchContext) -> (any Span)? {
    guard let fetch = context.fetch else { return nil }
    switch fetches.withLock({ $0.attemptBegan(fetch) }) {
    case .over: return nil
    case .open(let span): return span
    case .opens: break
    }
    // The span is started outside the lock, because the tracer's code must not run under it.
    let span: any Span = (tracer ?? InstrumentationSystem.tracer).startSpan(name(context.key))
    span.updateAttributes { attributes in
      attributes["streamquery.key"] = describeKey(context.key)
      attributes["streamquery.cause"] = context.cause.rawValue
      attributes["streamquery.fetch"] = fetch.description
    }
    guard let links = fetches.withLock({ $0.opened(fetch, span) }) else {
      // The fetch was cancelled before its span was opened.
      span.updateAttributes { $0["streamquery.outcome"] = "cancelled" }
      span.end()
      return nil
    }
    for link in links { span.addLink(SpanLink(context: link, attributes: [:])) }
    return span
  }
}

extension QueryClient.Configuration {
  /// Traces fetches.
  ///
  /// Other companions of fetches run inside the span, even if they were added before.
  ///
  /// - Parameter tracing: The tracing.
  public mutating func trace(with tracing: QueryTracing = QueryTracing()) {
    fetchCompanions.insert(tracing, at: 0)
    eventReceivers.append(.withoutLookups { tracing.record($0) })
  }
}
