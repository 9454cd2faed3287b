import Synchronization

/// Advice about a set-up that works, and that will hurt.
///
/// ``QueryClient/advice()`` returns the advice that applies to a client. Debug builds also report each
/// rule once in a process to ``QueryClient/Configuration/onMisuse``, as ``QueryMisuse/advice(_:)``. <doc:Gotchas>
/// lists the rules, and when each applies.
public struct QueryAdvice: Hashable, Sendable, CustomStringConvertible {
  /// The name of the rule, such as `noLimit`, which later versions keep.
  public let rule: String
  /// The set-up, with the names of some queries or mutations that have it.
  public let problem: String
  /// Why it hurts.
  public let reason: String
  /// The code to write instead, and the code that says that the set-up is meant.
  public let remedy: String
  /// The name of the article to read, such as `OnTheServer`.
  public let article: String

  /// Creates advice about what has some names; `nil` if nothing has the problem.
  ///
  /// - Parameters:
  ///   - rule: The name of the rule.
  ///   - problem: The set-up.
  ///   - names: The names of the queries or mutations that have it, of which three are shown; `nil` if the
  ///     set-up is not about them.
  ///   - reason: Why it hurts.
  ///   - remedy: The code to write instead.
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

  /// Whether its rule was not reported before; from then on it was.
  func isNew(in log: AdviceLog) -> Bool {
    log.rules.withLock { $0.insert(rule).inserted }
  }

  /// All of it as one line.
  public var description: String {
    "\(problem). \(reason). \(remedy). Read the article \(article) (rule \(rule))."
  }
}

/// The rules that were reported in a process: many clients of one set-up report each of them once.
package final class AdviceLog: Sendable {
  package static let shared = AdviceLog()

  fileprivate let rules = Mutex<Set<String>>([])

  package init() {}
}
