@testable import StreamQuery
@testable import StreamQueryOperators
import StreamQueryTesting
import Testing

struct KeepPreviousDataTests {
  @Test func showsTheDataOfTheKeyBeforeWhileTheNewOneLoadsT16() {
    expectResults("(p*)-x-(2:x*~)-(2:y)-|", of: "(p*)-x-(2:p*)-(2:y)-|") { $0.keepPreviousData() }
  }

  @Test func theFirstKeyHasNothingToKeepT16() {
    expectResults("p-(p*)-x|", of: "p-(p*)-x|") { $0.keepPreviousData() }
  }

  @Test func aCachedKeyShowsItsOwnDataT16() {
    expectResults("x-(2:y*)-(2:z)|", of: "x-(2:y*)-(2:z)|") { $0.keepPreviousData() }
  }

  @Test func anErrorOfTheNewKeyDropsItAndAnotherTryShowsItAgainT16() {
    expectResults("x-(2:x*~)-(2:!)-(2:x*~)-(2:y)|", of: "x-(2:p*)-(2:!)-(2:p*)-(2:y)|") {
      $0.keepPreviousData()
    }
  }

  @Test func itIsKeptOverSeveralKeysT16() {
    expectResults("x-(2:x*~)-(3:x*~)-(3:z)|", of: "x-(2:p*)-(3:p*)-(3:z)|") {
      $0.keepPreviousData()
    }
  }

  @Test func aKeyThatLostItsDataShowsNothingOfItT16() {
    expectResults("x-(p*)-(2:p)-(2:y)|", of: "x-(p*)-(2:p)-(2:y)|") { $0.keepPreviousData() }
  }

  @Test func aKeyThatLostItsDataAndHasAPlaceholderOrAnErrorShowsNothingOfItT16() {
    for lost in ["(s~)", "(s*~)", "(!)"] {
      expectResults("x-\(lost)-(2:p)-(2:y)|", of: "x-\(lost)-(2:p)-(2:y)|") {
        $0.keepPreviousData()
      }
    }
  }

  @Test func aPlaceholderIsNotKeptT16() {
    expectResults("(x~)-(2:p)-(2:y)-(3:z~)-(y~)|", of: "(x~)-(2:p)-(2:y)-(3:z~)-p|") {
      $0.keepPreviousData()
    }
  }

  @Test func dataBesideAnErrorIsKeptT16() {
    expectResults("(x!)-(2:x*~)|", of: "(x!)-(2:p*)|") { $0.keepPreviousData() }
  }

  @Test func endsPassThrough() {
    expectEndsPassThrough { $0.keepPreviousData() }
    expectEndsPassThrough("x", "2:p") { $0.keepPreviousData() }
  }

  /// The recorded scenarios `placeholder-keep-previous…`: an observer whose key changes at 50 s.
  private func observe(
    second: ScriptedFetch<String>,
    seed: (QueryClient) -> Void = { _ in },
    staleTime: Duration = .zero
  ) -> ResultRecording<QueryResult<String>> {
    let simulation = Simulation(seed: 5)
    let client = QueryClient(simulation: simulation)
    seed(client)
    let first = Query("p", 1, fetch: ScriptedFetch(.value("one", after: .seconds(10))))
    let observer = client.observer(of: first.staleTime(staleTime))
    let recording = simulation.record(observer.results.keepPreviousData())
    simulation.advance(by: .seconds(50))
    observer.update(query: Query("p", 2, fetch: second).staleTime(staleTime).retry(0))
    simulation.advance(by: .seconds(50))
    return recording
  }

  @Test func anObserverThatMovesKeepsThePreviousDataS08() {
    let recording = observe(second: ScriptedFetch(.value("two", after: .seconds(10))))
    #expect(
      recording.timeline == [
        .init(at: .zero, .pending(isFetching: true)),
        .init(at: .seconds(10), .success("one")),
        .init(at: .seconds(50), .placeholder("one", isFetching: true)),
        .init(at: .seconds(60), .success("two")),
      ]
    )
    expectNil(recording.values[2].dataUpdatedAt)
    expect(recording.values[2].isSuccess && recording.values[2].isRefetching)
  }

  @Test func anObserverThatMovesDropsItOnErrorS08() {
    let error = SampleError(name: "boom")
    let recording = observe(second: ScriptedFetch(.failure(error, after: .seconds(10))))
    expectEqual(
      recording.timeline.suffix(2),
      [
        .init(at: .seconds(50), .placeholder("one", isFetching: true)),
        .init(at: .seconds(60), .failure(error)),
      ]
    )
  }

  @Test func anObserverThatMovesToACachedKeyShowsItAtOnceS08() {
    let recording = observe(
      second: ScriptedFetch(.never),
      seed: { $0.setData("seed", for: Query<String>("p", 2, fetch: ScriptedFetch(.never))) },
      staleTime: .seconds(1000)
    )
    #expect(recording.timeline.last == .init(at: .seconds(50), .success("seed")))
  }

  @Test func aResetShowsNoOldDataT16() {
    let simulation = Simulation(seed: 2)
    let client = QueryClient(simulation: simulation)
    let query = Query("a", fetch: ScriptedFetch<String>(.value("one", after: .seconds(1))))
    let recording = simulation.record(client.results(of: query).keepPreviousData())
    simulation.advance(by: .seconds(2))
    simulation.task("reset") { await client.reset(query) }
    simulation.advance(by: .seconds(2))
    #expect(
      recording.summaries == [
        .pending(isFetching: true), .success("one"), .pending(isFetching: true), .success("one"),
      ]
    )
  }
}
