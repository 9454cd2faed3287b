import Testing

@testable import StreamQuery

/// Modifiers change a definition in place that nobody else has.
struct QueryChangingTests {
  private func make() -> Query<Int> { Query("n") { 7 } }

  @Test func aChainOfModifiersOnANewQueryHasOneDefinition() {
    var query = make()
    let definition = ObjectIdentifier(query.definition)
    query = (consume query).staleTime(.seconds(1)).gcTime(.seconds(2)).retry(3).timeout(.seconds(4))
      .placeholder(1).merge { $1 }.refetchOnActive(false)
    expectEqual(ObjectIdentifier(query.definition), definition)
    expectEqual(query.options.staleTime?.fixed, .after(TimeSpan(.seconds(1))))
    expectEqual(query.options.gcTime, .seconds(2))
    expectEqual(query.options.timeout, .seconds(4))
    expect(query.definition.placeholder != nil)
    expect(query.definition.merge != nil)
  }

  @Test func aChainOfModifiersHasOneObjectForWhatFewQueriesHave() {
    var query = make().timeout(.seconds(1)).placeholder(1)
    weak let serving = query.options.serving
    query = (consume query).softTimeout(.seconds(2)).staleIfError(.seconds(3)).timeout(.seconds(4))
    #expect(serving != nil && query.options.serving === serving)
    expectEqual(query.options.timeout, .seconds(4))
    expectEqual(query.options.softTimeout, .seconds(2))
    expectEqual(query.options.staleIfError, .seconds(3))
  }

  @Test func optionsThatAreCopiedStayAsTheyAre() {
    var options = QueryOptions()
    options.timeout = .seconds(1)
    var copy = options
    copy.timeout = .seconds(2)
    copy.refreshAhead = .off
    expect(options.timeout == .seconds(1) && options.refreshAhead == nil)
    expectEqual(copy.timeout, .seconds(2))
    copy.timeout = nil
    copy.refreshAhead = nil
    expect(copy.serving == nil && options.timeout == .seconds(1))
    options.timeout = nil
    expectNil(options.serving)
  }

  @Test func aCopyOfADefinitionKeepsItsParts() {
    let query = make().placeholder(1)
    let changed = query.merge { $1 }.placeholder(2)
    expect(query.definition.merge == nil && changed.definition.merge != nil)
    expectEqual(query.definition.placeholder?.value(as: Int.self), 1)
    expectEqual(changed.definition.placeholder?.value(as: Int.self), 2)
  }

  @Test func aQueryThatIsKeptStaysAsItIs() {
    let query = make().staleTime(.seconds(1))
    let changed = query.staleTime(.seconds(2)).placeholder(1)
    expectEqual(query.options.staleTime?.fixed, .after(TimeSpan(.seconds(1))))
    expectNil(query.definition.placeholder)
    expectEqual(changed.options.staleTime?.fixed, .after(TimeSpan(.seconds(2))))
    #expect(changed.definition !== query.definition)
  }

  @Test func whatAnEntryHasStaysAsItIs() async throws {
    let client = QueryClient()
    var query = make().staleTime(.seconds(100))
    _ = try await client.fetch(query)
    let key = EntryKey(query.key)
    query = (consume query).staleTime(.zero)
    let kept = client.cache.read { state in
      state.find(key).flatMap { state.slots[$0].query?.resolved.definition }
    }
    expect(kept != nil)
    #expect(kept !== query.definition)
    expectEqual(kept?.options.staleTime?.fixed, .after(TimeSpan(.seconds(100))))
    client.shutDown()
  }

  @Test func aChangeThatReadsTheQuerySeesItAsItWas() {
    let query = make().gcTime(.seconds(3))
    let changed = query.options { options in
      options.gcTime = query.options.gcTime.map { $0 * 2 }
    }
    expectEqual(query.options.gcTime, .seconds(3))
    expectEqual(changed.options.gcTime, .seconds(6))
  }
}
