public import StreamQueryPersistence

/// Checks that a store keeps the rules of ``/StreamQueryPersistence/QueryStore``.
///
/// One line in a test of Swift Testing or XCTest is enough:
///
/// ```swift
/// @Test func keepsTheContract() async {
///   await QueryStoreContract { FileStore(directory: $0.directory) } close: { await $0.close() }.check()
/// }
/// ```
///
/// Each rule gets an empty place of its own. Some rules open the same place again, to see which records have
/// outlived the store. A store without lasting records, such as ``/StreamQueryPersistence/MemoryStore``, is
/// checked with `keepsRecords: false`.
///
/// The rules do not cover sudden events, damage and the order of calls: test yourself that a batch is durable
/// when the process is killed, what a full disk does, and that damaged records are reported.
public struct QueryStoreContract<Store: QueryStore>: Sendable {
  private let keepsRecords: Bool
  private let open: @Sendable (StorePlace) async throws -> Store
  private let close: @Sendable (Store) async throws -> Void

  /// Creates the check of a store.
  ///
  /// - Parameters:
  ///   - keepsRecords: Whether records outlive the store object.
  ///   - open: Creates a store at a place. It is called again for a place after its store was closed, and
  ///     then the store must find the records.
  ///   - close: Closes a store before another one opens the place, if releasing the store is not enough.
  public init(
    keepsRecords: Bool = true,
    open: @escaping @Sendable (StorePlace) async throws -> Store,
    close: @escaping @Sendable (Store) async throws -> Void = { _ in }
  ) {
    self.keepsRecords = keepsRecords
    self.open = open
    self.close = close
  }

  /// Checks all rules, and fails the current test for each violation.
  ///
  /// - Parameters:
  ///   - fileID: The place of an issue; leave it to its default.
  ///   - filePath: The place of an issue; leave it to its default.
  ///   - line: The place of an issue; leave it to its default.
  ///   - column: The place of an issue; leave it to its default.
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
  public func violations() async -> [StoreViolation] {
    var violations: [StoreViolation] = []
    for rule in StoreRule.allCases where keepsRecords || !rule.isAboutReopening {
      violations += await seen(rule).map { StoreViolation(rule: rule, seen: $0) }
    }
    return violations
  }

  private func seen(_ rule: StoreRule) async -> [String] {
    let place: StorePlace
    do {
      place = try StorePlace()
    } catch {
      return ["there is no directory for a store: \(error)"]
    }
    defer { place.remove() }
    let trial = StoreTrial(place: place, open: open, close: close)
    do {
      try await trial.run(rule)
    } catch {
      trial.saw("it threw: \(error)")
    }
    await trial.end()
    return trial.seen
  }
}
