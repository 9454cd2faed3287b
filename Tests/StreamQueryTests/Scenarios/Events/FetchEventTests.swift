import StreamQuery
import StreamQueryTesting
import Testing

/// The beginnings and the ends of fetches: whoever counts fetches, or has a span for each, needs both.
struct FetchEventTests {
  private let simulation = Simulation(seed: 48)
  private let network = ManualSignal(true)
  private let log = Notes<String>()

  private func client() -> QueryClient {
    let client = QueryClient(simulation: simulation) { [network, log] in
      $0.connectivity = Connectivity { network }
      $0.onEvent = { event in
        guard let fetch = event.fetch else { return }
        switch event.kind {
        case .fetchStarted: log.add("\(fetch) began")
        case .fetchSucceeded, .fetchFailed, .fetchCancelled: log.add("\(fetch) ended")
        default: break
        }
      }
    }
    simulation.settle()
    return client
  }

  /// What a fetch is doing when a mutation's success makes its answer outdated.
  enum Stage: CaseIterable {
    case running, betweenAttempts, offline, offlineMeanwhile
  }

  @Test(arguments: Stage.allCases)
  func aFetchThatTakesThePlaceOfAnOutdatedOneBegins(stage: Stage) {
    let client = client()
    if stage == .offline { network.send(false) }
    simulation.settle()
    let first: ScriptedFetch<Int>.Step =
      stage == .betweenAttempts
      ? .failure(Boom(1)) : .value(0, after: .milliseconds(10), ignoringCancellation: true)
    let fetch = ScriptedFetch<Int>(first, .value(1, after: .milliseconds(10)))
    let query = Query.scripted("n", fetch).retry(1, delay: { _ in .milliseconds(20) })
    let recording = simulation.record(client.stream(query))
    simulation.advance(by: .milliseconds(5))
    if stage == .offlineMeanwhile { network.send(false) }
    simulation.settle()
    let mutation = Mutation<Int, Int>("m") { $0 }
      .networkMode(.always)
      .optimistic { _, changes in changes.update(query) { _ in } }
    simulation.start(mutation, with: 1, on: client)
    network.send(true)
    simulation.advance(by: .seconds(1))
    expectEqual(log.all, ["1.1 began", "1.1 ended", "1.2 began", "1.2 ended"])
    withExtendedLifetime(recording) {}
  }

  @Test func aPageCommandThatFindsNoPageEnds() {
    let client = client()
    let feed = InfiniteQuery<Int, Int>("feed", initialPageParam: 1) { page, _ in
      page
    } nextPageParam: {
      $0.lastPage < 2 ? $0.lastParam + 1 : nil
    }
    .staleTime(.infinite)
    let recording = simulation.record(client.stream(feed))
    simulation.settle()
    network.send(false)
    simulation.settle()
    simulation.task { _ = try await client.fetchNextPage(of: feed) }
    simulation.settle()
    // From now on there is no next page.
    client.updateData(for: feed) { $0?[0] = 2 }
    network.send(true)
    simulation.settle()
    expectEqual(log.all, ["1.1 began", "1.1 ended", "1.2 began", "1.2 ended"])
    withExtendedLifetime(recording) {}
  }

  @Test func aFetchThatCancelsItsOwnTaskEnds() {
    let client = client()
    let query = Query<Int>("n") { _ in
      cancelPresentTask()
      throw CancellationError()
    }
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    expectEqual(log.all, ["1.1 began", "1.1 ended"])
    withExtendedLifetime(recording) {}
  }
}

private func cancelPresentTask() { withUnsafeCurrentTask { $0?.cancel() } }
