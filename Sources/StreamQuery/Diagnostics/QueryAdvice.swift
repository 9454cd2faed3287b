import Synchronization

/// Advice about a set-up that works now and will cause trouble.
///
/// ``QueryClient/advice()`` returns the advice that applies to a client. Debug builds also report each
/// rule once in a process to ``QueryClient/Configuration/onMisuse``, as ``QueryMisuse/advice(_:)``.
public struct QueryAdvice: Hashable, Sendable, CustomStringConvertible {
  /// The name of the rule, such as `noLimit`, which later versions keep.
  public let rule: String
  /// The set-up, with the names of some queries or mutations that have it: the first parts of their keys.
  public let problem: String
  /// The trouble that the set-up causes.
  public let reason: String
  /// The code to write instead, or to confirm the set-up.
  public let remedy: String
  /// The name of the article to read, such as `OnTheServer`.
  public let article: String

  /// Creates advice about queries or mutations with some names; `nil` if none has the problem.
  ///
  /// - Parameters:
  ///   - rule: The name of the rule.
  ///   - problem: The set-up.
  ///   - names: The names of the queries or mutations with the problem, of which three are shown; `nil` if
  ///     the problem is not one of single queries or mutations.
  ///   - reason: The trouble that the set-up causes.
  ///   - remedy: The code to write instead, or to confirm the set-up.
  ///   - article: The name of the article to read.
  package init?(
    rule: String,
    problem: String,
    of names: [String]? = nil,
    reason: String,
    remedy: String,
    article: String
  ) {
    let names = names.map { Set($0).sorted() }
    if names?.isEmpty == true { return nil }
    let shown = names.map { ": " + $0.prefix(3).joined(separator: ", ") } ?? ""
    let left = max(0, (names?.count ?? 0) - 3)
    self.rule = rule
    self.problem = problem + shown + (left > 0 ? " and \(left) more" : "")
    self.reason = reason
    self.remedy = remedy
    self.article = article
  }

  /// Whether the rule of this advice was not reported before; from now on it counts as reported.
  func isNew(in log: AdviceLog) -> Bool {
    log.rules.withLock { $0.insert(rule).inserted }
  }

  /// The whole advice in one line.
  @_documentation(visibility: internal)
  public var description: String {
    "\(problem). \(reason). \(remedy). Read the article \(article) (rule \(rule))."
  }
}

/// The rules that a process has reported: clients with the same set-up report each rule once.
package final class AdviceLog: Sendable {
  package static let shared = AdviceLog()

  fileprivate let rules = Mutex<Set<String>>([])

  package init() {}
}

/// The facts about a client on which the advice of the core depends.
struct QueryAdviceFacts {
  /// Whether the client serves many requests: the configuration is that of a server, with shards.
  ///
  /// A client for a single request has no shards. It does not live long enough for the troubles of a
  /// server, so the advice about them does not apply.
  var isServer = false
  var limit: CacheLimit?
  /// The client's defaults, with those of the configuration below them.
  var defaults = QueryOptions.default
  /// The cached queries that can fetch, with the options of all layers.
  var queries: [(name: String, options: QueryOptions)] = []
  /// The durable mutations that ran without an outbox.
  var unkeptMutations: [String] = []

  /// The advice that follows from the facts.
  var advice: [QueryAdvice] {
    [staleTimeOnServer, noLimit, cachedFailuresWithoutTimeout, missingOutbox].compactMap(\.self)
  }

  /// Applies if no layer gives a query of a server a stale time; a stale time of zero that is set counts as
  /// intended.
  private var staleTimeOnServer: QueryAdvice? {
    guard isServer else { return nil }
    return QueryAdvice(
      rule: "staleTimeOnServer",
      problem: "No stale time on a server",
      of: names { $0.staleTime == nil },
      reason: "Their data is stale at once, so that each later call fetches again",
      remedy: """
        Write configuration.defaults.staleTime = .seconds(30), or .staleTime(.zero) on a query whose \
        server is to be asked each time
        """,
      article: "OnTheServer"
    )
  }

  /// Applies if neither a limit nor time removes entries of a server.
  private var noLimit: QueryAdvice? {
    guard isServer, limit == nil, let gcTime = defaults.gcTime, TimeSpan(gcTime).isInfinite else {
      return nil
    }
    return QueryAdvice(
      rule: "noLimit",
      problem: "No limit on a server that keeps entries for ever",
      reason: "Each new key takes memory until the process ends",
      remedy: """
        Write configuration.limit = CacheLimit(maxEntries: 10_000), or a gcTime in \
        configuration.defaults
        """,
      article: "Limits"
    )
  }

  /// Applies if failures of a query are cached, and no layer says how long an attempt may take.
  private var cachedFailuresWithoutTimeout: QueryAdvice? {
    QueryAdvice(
      rule: "cachedFailuresWithoutTimeout",
      problem: "Cached failures without a timeout",
      of: names { ($0.cachesFailures.map { !$0.isOff } ?? false) && $0.timeout == nil },
      reason: """
        A server that never answers is no failure: all callers wait for it, and nothing is cached
        """,
      remedy: """
        Write .timeout(.seconds(5)) beside .cachesFailures(…), or .timeout(.seconds(Int64.max))
        """,
      article: "OnTheServer"
    )
  }

  /// Applies if a durable mutation has run while the configuration has no outbox.
  private var missingOutbox: QueryAdvice? {
    QueryAdvice(
      rule: "missingOutbox",
      problem: "Durable mutations without an outbox",
      of: unkeptMutations,
      reason: "Nothing can keep their runs, so that each run fails",
      remedy: "Write configuration.outbox = OutboxConfiguration(in: store, mutations: […])",
      article: "TheOutbox"
    )
  }

  private func names(where applies: (QueryOptions) -> Bool) -> [String] {
    queries.filter { applies($0.options) }.map(\.name)
  }
}
