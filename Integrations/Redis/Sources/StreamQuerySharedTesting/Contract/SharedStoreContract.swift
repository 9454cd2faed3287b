public import StreamQueryShared
@_spi(Contracts) internal import StreamQueryTesting

/// Checks that a store keeps the rules of ``/StreamQueryShared/SharedStore``.
///
/// One line in a test is enough:
///
/// ```swift
/// @Test func keepsTheContract() async {
///   await SharedStoreContract { try await MyStore(namespace: UUID().uuidString) }.check()
/// }
/// ```
///
/// Each rule gets an empty store of its own. Leases and ages are measured by the store's clock, so a rule
/// about them waits for some hundred milliseconds. If a rule seems to be broken, but its steps took too long
/// for these times, the check tries the rule again on another store, with longer times.
public struct SharedStoreContract<Store: SharedStore>: Sendable {
  private let clock: any Clock<Duration>
  private let logLength: Int
  private let make: @Sendable () async throws -> Store

  /// Creates the check of a store.
  ///
  /// - Parameters:
  ///   - clock: A clock that runs as fast as the store's clock.
  ///   - logLength: The number of messages that the rule about lost messages adds to the log, which
  ///     must be more than the log keeps.
  ///   - make: Creates an empty store that shares nothing with others.
  public init(
    clock: any Clock<Duration> = ContinuousClock(),
    logLength: Int = 100,
    make: @escaping @Sendable () async throws -> Store
  ) {
    self.clock = clock
    self.logLength = logLength
    self.make = make
  }

  /// Checks all rules, and fails the current test for each violation.
  ///
  /// Outside of a test of Swift Testing or XCTest, the check prints the violations.
  ///
  /// - Parameters:
  ///   - fileID: Where an issue is shown; leave it to its default.
  ///   - filePath: Where an issue is shown; leave it to its default.
  ///   - line: Where an issue is shown; leave it to its default.
  ///   - column: Where an issue is shown; leave it to its default.
  public func check(
    fileID: String = #fileID,
    filePath: StaticString = #filePath,
    line: Int = #line,
    column: Int = #column
  ) async {
    let report = FailureReport(fileID: fileID, filePath: filePath, line: line, column: column)
    for violation in await violations() { report(violation.description) }
  }

  /// Checks all rules.
  ///
  /// - Returns: The violations, in the order of the rules.
  public func violations() async -> [SharedStoreViolation] {
    var violations: [SharedStoreViolation] = []
    for rule in SharedStoreRule.allCases {
      violations += await seen(rule).map { SharedStoreViolation(rule: rule, seen: $0) }
    }
    return violations
  }

  private func seen(_ rule: SharedStoreRule) async -> [String] {
    var seen: [String] = []
    // On a busy machine, an entry or a lease may end before a step finds it. The next try has longer times.
    for pace in [1, 4, 16, 64] {
      let store: Store
      do {
        store = try await make()
      } catch {
        return ["no store could be made: \(error)"]
      }
      let trial = SharedStoreTrial(store: store, clock: clock, logLength: logLength, pace: pace)
      await trial.run(rule)
      seen = trial.seen
      if seen.isEmpty || !trial.isLate { break }
    }
    return seen
  }
}
