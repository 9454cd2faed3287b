import Testing

@_spi(Adapters) @testable import StreamQuery

/// Snapshots over placeholders, which every look makes anew.
struct AlikeSnapshotTests {
  private struct Failure: Error {}
  private final class Feature: Sendable {}

  /// Everything that a snapshot is made of.
  private struct Parts {
    var version: UInt64 = 7
    var key: EntryKey? = EntryKey(QueryKey<String>("a"))
    var facts = SnapshotFacts()
    var layered: LayeredBox?
    /// Layers below a selection, which has none itself.
    var selected: LayeredBox?
    var error: ErrorBox?
    var failureReason: ErrorBox?
    var feature: QueryFeature?
    var source: ValueBox?
    var placeholder = "stand-in"

    func result() -> QueryResult<String> {
      let base = EntrySnapshot(
        version: version,
        key: key,
        facts: facts,
        data: source,
        error: nil,
        failureReason: failureReason,
        feature: feature,
        layered: layered ?? selected
      )
      let placeholder = TypedBox(placeholder)
      let snapshot =
        layered == nil
        ? EntrySnapshot(base, data: placeholder, error: error)
        : EntrySnapshot(base, placeholder: placeholder)
      return QueryResult(snapshot: snapshot, flags: [.placeholder, .enabled])
    }
  }

  private static let changes: [(name: String, change: @Sendable (inout Parts) -> Void)] = {
    let moment = Timestamp(instant: .distantPast, date: 1)
    return [
      ("version", { $0.version = 8 }),
      ("key", { $0.key = EntryKey(QueryKey<String>("b")) }),
      ("layers", { $0.layered = LayeredBox(base: nil, layers: []) }),
      ("layers below", { $0.selected = LayeredBox(base: nil, layers: []) }),
      ("error", { $0.error = ErrorBox(Failure()) }),
      ("reason", { $0.failureReason = ErrorBox(Failure()) }),
      ("feature", { $0.feature = Feature() }),
      ("source", { $0.source = TypedBox("cached") }),
      ("placeholder", { $0.placeholder = "other" }),
      ("data's time", { $0.facts.dataUpdatedAt = moment }),
      ("error's time", { $0.facts.errorUpdatedAt = moment }),
      ("count of data", { $0.facts.dataUpdateCount = 1 }),
      ("count of errors", { $0.facts.errorUpdateCount = 1 }),
      ("count of failures", { $0.facts.failureCount = 1 }),
      ("fetch status", { $0.facts.fetchStatus = .fetching }),
      ("invalidation", { $0.facts.isInvalidated = true }),
      ("cause", { $0.facts.cause = .manual }),
      ("part", { $0.facts.part = FetchPart(rawValue: 1) }),
    ]
  }()

  @Test func twoLooksAtOnePlaceholderAreTheSame() {
    expect(Parts().result().isSame(as: Parts().result()))
  }

  @Test(arguments: changes.map(\.name))
  func whateverDiffersMakesThemDiffer(_ name: String) throws {
    let change = try #require(Self.changes.first { $0.name == name }).change
    var parts = Parts()
    change(&parts)
    expect(!parts.result().isSame(as: Parts().result()))
    expect(!Parts().result().isSame(as: parts.result()))
  }
}
