import StreamQuery
import StreamQueryTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Data before the first fetch: initial data is real, and a placeholder stands in.
struct PlaceholderDataTests {
  let simulation = Simulation(seed: 23)
  let key = QueryKey<Int>("n")

  // O17 T14
  @Test func initialDataIsRealDataAskedForOnceAndAsOldAsItsDate() {
    let client = QueryClient(simulation: simulation)
    let asked = Dial(0)
    @Sendable func initial() -> Int? {
      asked.with { $0 += 1 }
      return 7
    }
    let fetch = ScriptedFetch<Int>(.value(8, after: .milliseconds(10)))
    let query = Query.scripted("n", fetch).staleTime(.seconds(10))
      .initialData(initial(), updatedAt: Simulation.startDate - 8)
    let first = simulation.record(client.stream(query))
    let second = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(5))
    expectEqual(asked.value, 1)
    expectEqual(fetch.callCount, 0)
    #expect(first.timeline == [at(0, .success(7)), at(2_000, .success(7))])
    expectEqual(first.values.map(\.isStale), [false, true])
    expectEqual(first.values.map(\.isFetched), [false, false])
    #expect(second.timeline == first.timeline)
    let third = simulation.record(client.stream(query))
    simulation.advance(by: .seconds(1))
    #expect(third.timeline == [at(5_000, .success(7, isFetching: true)), at(5_010, .success(8))])
  }

  @Test("O17: the date of initial data may be a function, called with the data and only then")
  func initialDate() {
    let client = QueryClient(simulation: simulation)
    let asked = Dial(0)
    let present = Dial<Int?>(nil)
    let query = Query<Int>("n") { 8 }.staleTime(.seconds(10)).enabled(false)
      .initialData(present.value) {
        asked.with { $0 += 1 }
        return Simulation.startDate - 8
      }
    _ = client.result(for: query)
    expectEqual(asked.value, 0)
    present.value = 7
    let recording = simulation.record(client.stream(query.enabled(true)))
    simulation.advance(by: .seconds(1))
    expectEqual(asked.value, 1)
    #expect(recording.summaries == [.success(7)])
    expectEqual(recording.values.first?.dataUpdatedAt, Simulation.startDate - 8)
    simulation.advance(by: .seconds(1))
    expectEqual(recording.values.last?.isStale, true)
  }

  // O17
  @Test func initialDataOfNothingSeedsNothingAndFillsAnEmptyEntryLater() {
    let client = QueryClient(simulation: simulation)
    let query = Query<Int>("n") { 1 }.enabled(false)
    let first = simulation.record(client.stream(query.initialData(nil)))
    simulation.settle()
    let second = simulation.record(client.stream(query.initialData(5)))
    simulation.settle()
    #expect(first.summaries == [.pending(), .success(5)])
    #expect(second.summaries == [.success(5)])
  }

  // O15 T15
  @Test func aPlaceholderStandsInAndIsNeverCached() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.value(1, after: .milliseconds(10)))
    let query = Query.scripted("n", fetch).placeholder(-1)
    let recording = simulation.record(client.stream(query))
    let plain = simulation.record(client.stream(.scripted("n", fetch)))
    expectEqual(ResultSummary(client.result(for: query)), .placeholder(-1, isFetching: true))
    expectNil(client.data(for: key))
    simulation.advance(by: .milliseconds(10))
    client.remove(key)
    simulation.settle()
    #expect(
      recording.timeline == [
        at(0, .placeholder(-1, isFetching: true)), at(10, .success(1)), at(10, .placeholder(-1)),
      ]
    )
    #expect(
      plain.timeline == [
        at(0, .pending(isFetching: true)), at(10, .success(1)), at(10, .pending()),
      ]
    )
    expectEqual(recording.values.map(\.dataUpdatedAt).first, .some(nil))
  }

  // O15
  @Test func aPlaceholderGivesWayToAnError() {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(Boom(), after: .milliseconds(10)))
    let recording = simulation.record(
      client.stream(Query.scripted("n", fetch).placeholder(-1).retry(.never))
    )
    simulation.advance(by: .milliseconds(10))
    #expect(
      recording.timeline == [
        at(0, .placeholder(-1, isFetching: true)), at(10, .failure(Boom())),
      ]
    )
  }

  private func page(
    _ number: Int,
    _ make: @escaping @Sendable (String?, AnyQueryKey?) -> String? = { previous, _ in previous }
  ) -> Query<String> {
    Query("page", number, fetch: ScriptedFetch(.value("page \(number)", after: .milliseconds(10))))
      .staleTime(.hours(1)).placeholder(from: make)
  }

  @Test("O15 O16: a placeholder is made of the data that the observer saw last of another key")
  func madeOfPreviousData() {
    let client = QueryClient(simulation: simulation)
    let observer = client.observer(of: page(1))
    let recording = simulation.record(observer.stream)
    simulation.advance(by: .milliseconds(20))
    observer.update(query: page(2))
    simulation.advance(by: .milliseconds(5))
    // Page 2 has shown nothing of its own.
    observer.update(query: page(3))
    simulation.advance(by: .milliseconds(20))
    observer.update(query: page(1))
    simulation.advance(by: .milliseconds(20))
    #expect(
      recording.summaries == [
        .pending(isFetching: true), .success("page 1"),
        .placeholder("page 1", isFetching: true), .placeholder("page 1", isFetching: true),
        .success("page 3"), .success("page 1"),
      ]
    )
    expectNil(client.data(for: QueryKey<String>("page", 2)))
  }

  @Test("O15: a placeholder is made once for each key that an observer comes to")
  func madeOncePerKey() {
    let client = QueryClient(simulation: simulation)
    let calls = Notes<String>()
    @Sendable func make(_ previous: String?, _ key: AnyQueryKey?) -> String? {
      calls.add("\(previous ?? "-") of \(key.map(\.description) ?? "-")")
      return "preview \(calls.count)"
    }
    let observer = client.observer(of: page(1, make))
    let recording = simulation.record(observer.stream)
    simulation.settle()
    observer.update(query: page(1, make))
    observer.update(options: ObserverOptions(staleTime: .zero))
    simulation.settle()
    #expect(recording.summaries == [.placeholder("preview 1", isFetching: true)])
    simulation.advance(by: .seconds(1))
    observer.update(query: page(2, make))
    observer.update(query: page(2, make))
    simulation.settle()
    #expect(recording.summaries.last == .placeholder("preview 2", isFetching: true))
    expectEqual(calls.all, ["- of -", #"page 1 of ["page", 1]"#])
    let third = ResultSummary(client.result(for: page(3, make)))
    expectEqual(third, .placeholder("preview 3", isFetching: true))
  }

  @Test("O15: a placeholder that was made of previous data is forgotten by a clear")
  func forgottenWhenEmptied() {
    let client = QueryClient(simulation: simulation)
    let observer = client.observer(of: page(1))
    let recording = simulation.record(observer.stream)
    simulation.advance(by: .seconds(1))
    let second = Query<String>(key: QueryKey("page", 2)).placeholder { previous, _ in previous }
    observer.update(query: second)
    simulation.settle()
    client.clear()
    simulation.settle()
    observer.update(query: second)
    simulation.settle()
    expectEqual(recording.summaries.suffix(2), [.placeholder("page 1"), .pending()])
  }

  @Test("O15: a clear takes previous data from a function that has made no placeholder of it, too")
  func forgottenWithoutAPlaceholder() {
    let client = QueryClient(simulation: simulation)
    let calls = Notes<String>()
    @Sendable func make(_ previous: String?, _ key: AnyQueryKey?) -> String? {
      calls.add("\(previous ?? "-") of \(key.map(\.description) ?? "-")")
      return nil
    }
    func empty(_ number: Int) -> Query<String> {
      Query<String>(key: QueryKey("page", number)).placeholder(from: make)
    }
    let observer = client.observer(of: page(1))
    let recording = simulation.record(observer.stream)
    simulation.advance(by: .seconds(1))
    observer.update(query: empty(2))
    simulation.settle()
    client.clear()
    observer.update(query: empty(3))
    simulation.settle()
    expectEqual(calls.all, [#"page 1 of ["page", 1]"#, "- of -"])
    // One for each key without data.
    #expect(
      recording.summaries == [
        .pending(isFetching: true), .success("page 1"), .pending(), .pending(),
      ]
    )
  }

  @Test("O15: neither another observer nor the entry has the placeholder that was made for one")
  func madeForOne() {
    let client = QueryClient(simulation: simulation)
    let isGone = Dial(false)
    let first = Query<Witness>("page", 1) { Witness { isGone.value = true } }
    let second = Query<Witness>("page", 2) { throw Boom() }.enabled(false)
      .placeholder { previous, _ in previous }
    var observer: QueryObserver<Witness>? = client.observer(of: first)
    simulation.settle()
    observer?.update(query: second)
    expectEqual(observer?.result.isPlaceholderData, true)
    expectEqual(client.observer(of: second).result.isPlaceholderData, false)
    client.remove(first.key)
    simulation.settle()
    expect(!isGone.value)
    observer = nil
    simulation.settle()
    expect(isGone.value)
    expectEqual(client.diagnostics().count, 1)
  }
}
