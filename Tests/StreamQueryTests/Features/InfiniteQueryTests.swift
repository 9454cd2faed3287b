@_spi(Adapters) import StreamQuery
import StreamQueryTesting
import Synchronization
import Testing

private func environment() -> (Simulation, QueryClient) {
  let simulation = Simulation(seed: 3)
  return (simulation, QueryClient(simulation: simulation))
}

private func ms(_ count: Int) -> Duration { .milliseconds(count) }

struct InfiniteQueryTests {
  @Test("I01 I05 I10 T76: pages are added at the end, with flags meanwhile, until there are none")
  func pagesAreAddedAtTheEnd() {
    let (simulation, client) = environment()
    let server = PageServer(last: 2)
    let feed = server.query()
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: ms(50))
    simulation.task { try await client.fetchNextPage(of: feed) }
    simulation.advance(by: ms(50))
    expectEqual(
      recording.lines,
      [
        PageLine(0, [], .fetching),
        PageLine(10, ["p1#1"], .more),
        PageLine(50, ["p1#1"], .fetching, .next, .more),
        PageLine(60, ["p1#1", "p2#2"]),
      ]
    )
    expectEqual(server.calls.map(\.direction), [nil, .next])
    expectEqual(recording.values.last?.data?.params, [1, 2])
  }

  @Test("I05: a page is changed in place, and neither the other pages nor copies change")
  func aPageIsChangedInPlace() throws {
    let old = try #require(Pages([["a"], ["b"], ["c"]], params: [1, 2, 3]))
    expectEqual(old.pages, [["a"], ["b"], ["c"]])
    var new = old
    new[1][0] = "B"
    new[2].append("d")
    expectEqual(new.pages, [["a"], ["B"], ["c", "d"]])
    expectEqual(new.params, [1, 2, 3])
    expectEqual(old.pages, [["a"], ["b"], ["c"]])
    #expect((old[0], new[1], new.lastPage) == (["a"], ["B"], ["c", "d"]))
  }

  @Test("I05 X19: past either end nothing is requested and nothing is renewed")
  func pastTheEndNothingHappens() throws {
    let (simulation, client) = environment()
    let server = PageServer(last: 1)
    let feed = server.query()
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: ms(50))
    let next = try simulation.run { try await client.fetchNextPage(of: feed) }
    let previous = try simulation.run { try await client.fetchPreviousPage(of: feed) }
    expectEqual(next.pages, ["p1#1"])
    expectEqual(previous.pages, ["p1#1"])
    expectEqual(server.params, [1])
    expectEqual(recording.lines, [PageLine(0, [], .fetching), PageLine(10, ["p1#1"])])
    expectEqual(next.dataUpdatedAt, recording.values.last?.dataUpdatedAt)
  }

  @Test("a parameter that is optional and nil ends the pages, in both directions")
  func optionalParameters() throws {
    let (simulation, client) = environment()
    let requests = Mutex<[String?]>([])
    let feed = InfiniteQuery<[String?], String?>("feed", initialPageParam: nil) { cursor, _ in
      requests.withLock { $0.append(cursor) }
      return cursor == nil ? [nil, "b"] : [nil, nil]
    } nextPageParam: {
      $0.lastPage[1]
    } previousPageParam: {
      $0.firstPage[0]
    }
    let recording = simulation.record(client.stream(feed))
    simulation.settle()
    for _ in 0..<3 { _ = try simulation.run { try await client.fetchNextPage(of: feed) } }
    _ = try simulation.run { try await client.fetchPreviousPage(of: feed) }
    expectEqual(requests.withLock { $0 }, [nil, "b"])
    expectEqual(recording.values.last?.hasNextPage, false)
    expectEqual(recording.values.last?.hasPreviousPage, false)
    // A refresh begins with the first parameter, which is nil.
    simulation.run { await client.refetch(.query(feed)) }
    expectEqual(requests.withLock { $0 }, [nil, "b", nil, "b"])
    expectEqual(recording.values.last?.data?.params, [nil, "b"])
    recording.cancel()
  }

  @Test("a first page adds to nothing, whichever command asked for it, also when it is retried")
  func theFirstPageHasNoDirection() {
    for direction in [PageDirection.next, .previous] {
      let (simulation, client) = environment()
      let server = PageServer(last: 9, failing: [1])
      let feed = server.query(from: 5).enabled(false)
        .retry(RetryPolicy.times(1).backoff(.constant(ms(5))))
      let observer = client.observer(of: feed)
      let recording = simulation.record(observer.stream)
      simulation.task {
        switch direction {
        case .next: try await observer.fetchNextPage()
        case .previous: try await observer.fetchPreviousPage()
        }
      }
      simulation.advance(by: ms(50))
      expectEqual(server.calls.map(\.param), [5, 5])
      expectEqual(server.calls.map(\.direction), [nil, nil])
      // What observers see is the command.
      let flag = direction == .next ? PageLine.Flag.next : .previous
      #expect(recording.lines.dropFirst().dropLast().allSatisfy { $0.flags.contains(flag) })
      expectEqual(recording.lines.last, PageLine(25, ["p5#2"], .more, .before))
      simulation.task { try await observer.fetchPreviousPage() }
      simulation.advance(by: ms(50))
      expectEqual(server.calls.last, .init(param: 4, direction: .previous))
    }
  }

  @Test func withoutPreviousParameterThereIsNoPreviousPage() throws {
    let (simulation, client) = environment()
    let server = PageServer()
    let feed = InfiniteQuery<String, Int>("feed", initialPageParam: 5) {
      try await server.fetch($0, $1)
    } nextPageParam: { _ in
      nil
    }
    _ = try simulation.run { try await client.fetch(feed) }
    let result = try simulation.run { try await client.fetchPreviousPage(of: feed) }
    expect(!result.hasPreviousPage)
    expectEqual(server.params, [5])
  }

  @Test("I06 I08 T77 X20: there and back again; the far end is trimmed, and fetched anew")
  func thereAndBackWithLimit() {
    let (simulation, client) = environment()
    let server = PageServer(last: 9)
    let feed = server.query(maxPages: 2)
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: ms(50))
    for _ in 0..<2 {
      simulation.task { try await client.fetchNextPage(of: feed) }
      simulation.advance(by: ms(50))
    }
    simulation.task { try await client.fetchPreviousPage(of: feed) }
    simulation.advance(by: ms(50))
    expectEqual(
      recording.lines,
      [
        PageLine(0, [], .fetching),
        PageLine(10, ["p1#1"], .more),
        PageLine(50, ["p1#1"], .fetching, .next, .more),
        PageLine(60, ["p1#1", "p2#2"], .more),
        PageLine(100, ["p1#1", "p2#2"], .fetching, .next, .more),
        PageLine(110, ["p2#2", "p3#3"], .more, .before),
        PageLine(150, ["p2#2", "p3#3"], .fetching, .previous, .more, .before),
        PageLine(160, ["p1#4", "p2#2"], .more),
      ]
    )
    expectEqual(recording.values.last?.data?.params, [1, 2])
  }

  @Test("I07 T74: a refetch goes through the pages one by one and swaps them in together")
  func refetchIsSequential() throws {
    let (simulation, client) = environment()
    let server = PageServer()
    let feed = server.query()
    let observer = client.observer(of: feed)
    let recording = simulation.record(observer.stream)
    simulation.advance(by: ms(50))
    simulation.task { try await observer.fetchNextPage() }
    simulation.advance(by: ms(50))
    simulation.task { try await observer.refetch() }
    simulation.advance(by: ms(50))
    expectEqual(server.params, [1, 2, 1, 2])
    expectEqual(
      recording.lines.suffix(2),
      [
        PageLine(100, ["p1#1", "p2#2"], .fetching, .more),
        PageLine(120, ["p1#3", "p2#4"], .more),
      ]
    )
    expectEqual(recording.values.map(\.isRefetching).suffix(4), [false, false, true, false])
  }

  @Test("T74: a retry goes on at the page that failed, with the pages that came before it")
  func retryGoesOnAtTheFailedPage() {
    let (simulation, client) = environment()
    let server = PageServer(failing: [4])
    let feed = server.query().retry(1) { _ in ms(30) }
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: ms(50))
    simulation.task { try await client.fetchNextPage(of: feed) }
    simulation.advance(by: ms(50))
    simulation.task { await client.refetch(.query(feed)) }
    simulation.advance(by: ms(100))
    expectEqual(server.params, [1, 2, 1, 2, 2])
    expectEqual(server.calls.map(\.attempt), [0, 0, 0, 0, 1])
    expectEqual(recording.lines.last, PageLine(160, ["p1#3", "p2#5"], .more))
    expectEqual(recording.values.map(\.failureCount).suffix(3), [0, 1, 0])
  }

  @Test("T26 T76: a refetch that fails keeps every old page and is no page's error")
  func failedRefetchKeepsThePages() {
    let (simulation, client) = environment()
    let server = PageServer(failing: [4])
    let feed = server.query()
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: ms(50))
    simulation.task { try await client.fetchNextPage(of: feed) }
    simulation.advance(by: ms(50))
    simulation.task { await client.refetch(.query(feed)) }
    simulation.advance(by: ms(50))
    expectEqual(recording.lines.last, PageLine(120, ["p1#1", "p2#2"], .error, .more))
    expectEqual(recording.values.last?.isRefetchError, true)
  }

  @Test(
    "T76: the error of a page belongs to its direction and not to the refetch",
    arguments: [PageDirection.next, .previous]
  )
  func pageErrorsHaveADirection(direction: PageDirection) throws {
    let (simulation, client) = environment()
    let server = PageServer(last: 9, failing: [2])
    let feed = server.query(from: 5)
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: ms(50))
    let fetch = { @Sendable in
      direction == .next
        ? try await client.fetchNextPage(of: feed) : try await client.fetchPreviousPage(of: feed)
    }
    #expect(throws: PageFailure.self) { try simulation.run(fetch) }
    let isNext = direction == .next
    let failed = try #require(recording.values.last)
    expectEqual(
      recording.lines.last,
      PageLine(60, ["p5#1"], .error, isNext ? .nextError : .previousError, .more, .before)
    )
    expect(!failed.isRefetchError)
    expect(!failed.isLoadingError)
    // The page that comes at last takes the failure's mark away.
    expectEqual(client.diagnostics().map(\.isInvalidated), [true])
    let result = try simulation.run(fetch)
    expectEqual(result.pages, isNext ? ["p5#1", "p6#3"] : ["p4#3", "p5#1"])
    expect(!result.isError)
    expectEqual(client.diagnostics().map(\.isInvalidated), [false])
  }

  @Test("X21: a page that arrives leaves an older invalidation, unlike in TanStack Query")
  func pageLeavesAnOlderInvalidation() throws {
    let (simulation, client) = environment()
    let server = PageServer()
    let feed = server.query().staleTime(.seconds(60))
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: ms(50))
    simulation.run { await client.invalidate(feed, refetch: .never) }
    _ = try simulation.run { try await client.fetchNextPage(of: feed) }
    expectEqual(recording.values.last?.pages, ["p1#1", "p2#2"])
    expectEqual(recording.values.last?.isStale, true)
    let pages = try simulation.run { try await client.fetch(feed) }
    expectEqual(pages.pages, ["p1#3", "p2#4"])
    expectEqual(recording.values.last?.isStale, false)
  }

  @Test("with the first page as a whole, its refetch clears an invalidation")
  func theFirstPageAsAWholeClearsAnInvalidation() throws {
    let (simulation, client) = environment()
    let feed = PageServer().query().refetchingFirstPageOnly().staleTime(.seconds(60))
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: ms(50))
    _ = try simulation.run { try await client.fetchNextPage(of: feed) }
    simulation.run { await client.invalidate(feed) }
    expectEqual(recording.values.last?.pages, ["p1#3", "p2#2"])
    expectEqual(recording.values.last?.isStale, false)
  }

  @Test("pages that a retry goes on with are as old as the first attempt")
  func aRetryThatGoesOnLeavesTheMark() throws {
    let (simulation, client) = environment()
    let server = PageServer(failing: [4])
    let feed = server.query().staleTime(.seconds(60))
      .retry(RetryPolicy.times(1).backoff(.constant(.milliseconds(5))))
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: ms(50))
    _ = try simulation.run { try await client.fetchNextPage(of: feed) }
    simulation.task { await client.refetch(.query(feed)) }
    // The first page has arrived, and the second has failed.
    simulation.advance(by: ms(21))
    simulation.run { await client.invalidate(feed, refetch: .never) }
    simulation.advance(by: ms(50))
    expectEqual(recording.values.last?.pages, ["p1#3", "p2#5"])
    expectEqual(recording.values.last?.isStale, true)
  }

  @Test("a run of pages that may finish goes on when it is superseded, and writes nothing")
  func aSupersededRunThatMayFinishGoesOn() throws {
    let (simulation, client) = environment()
    let params = Mutex<[Int]>([])
    let clock = simulation.clock
    let executor = simulation.executor
    let feed = InfiniteQuery<Int, Int>("feed", initialPageParam: 1) { param in
      params.withLock { $0.append(param) }
      // Deaf to cancellation.
      await Task(executorPreference: executor) { try? await clock.sleep(for: .milliseconds(10)) }
        .value
      return param
    } nextPageParam: {
      $0.lastPage < 9 ? $0.lastPage + 1 : nil
    }.onAbandonment(.finish)
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: ms(50))
    _ = try simulation.run { try await client.fetchNextPage(of: feed) }
    simulation.task { await client.refetch(.query(feed)) }
    simulation.advance(by: ms(5))
    simulation.task { _ = try? await client.fetchNextPage(of: feed) }
    simulation.advance(by: ms(50))
    expectEqual(params.withLock { $0 }, [1, 2, 1, 3, 2])
    expectEqual(recording.values.last?.pages, [1, 2, 3])
  }

  enum Removal: CaseIterable { case remove, clear, reset, shutDown }

  @Test(
    "a run of pages that may finish asks for no further page of what was removed",
    arguments: Removal.allCases
  )
  func aRunThatMayFinishEndsWithARemoval(_ removal: Removal) throws {
    let (simulation, client) = environment()
    let params = Mutex<[Int]>([])
    let clock = simulation.clock
    let executor = simulation.executor
    let feed = InfiniteQuery<Int, Int>("feed", initialPageParam: 1) { param in
      params.withLock { $0.append(param) }
      // Deaf to cancellation.
      await Task(executorPreference: executor) { try? await clock.sleep(for: .milliseconds(10)) }
        .value
      return param
    } nextPageParam: {
      $0.lastPage < 9 ? $0.lastPage + 1 : nil
    }.onAbandonment(.finish)
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: ms(50))
    _ = try simulation.run { try await client.fetchNextPage(of: feed) }
    simulation.task { await client.refetch(.query(feed)) }
    simulation.advance(by: ms(5))
    switch removal {
    case .remove: client.remove(feed)
    case .clear: client.clear()
    case .reset: simulation.task { await client.reset(.query(feed)) }
    case .shutDown: client.shutDown()
    }
    simulation.advance(by: ms(100))
    // A reset fetches the first page anew.
    expectEqual(params.withLock { $0 }, [1, 2, 1] + (removal == .reset ? [1] : []))
    recording.cancel()
  }

  @Test("X21: an invalidation supersedes the page that is on its way")
  func invalidationSupersedesAPage() {
    let (simulation, client) = environment()
    let server = PageServer()
    let feed = server.query()
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: ms(50))
    simulation.task { try await client.fetchNextPage(of: feed) }
    simulation.advance(by: ms(5))
    simulation.task { await client.invalidate(feed) }
    simulation.advance(by: ms(50))
    expectEqual(server.params, [1, 2, 1])
    expectEqual(server.cancelledCount, 1)
    expectEqual(
      recording.lines.suffix(3),
      [
        PageLine(50, ["p1#1"], .fetching, .next, .more),
        PageLine(55, ["p1#1"], .fetching, .more),
        PageLine(65, ["p1#3"], .more),
      ]
    )
  }

  @Test("T75: a page command replaces a running refetch, and its callers get the page")
  func pageSupersedesARefetch() throws {
    let (simulation, client) = environment()
    let server = PageServer()
    let feed = server.query()
    let observer = client.observer(of: feed)
    let recording = simulation.record(observer.stream)
    simulation.advance(by: ms(50))
    let refetch = simulation.record(
      AsyncStream(unfolding: { @Sendable in try? await observer.refetch().pages })
    )
    simulation.advance(by: ms(5))
    simulation.task { try await client.fetchNextPage(of: feed) }
    simulation.advance(by: ms(12))
    expectEqual(server.params, [1, 1, 2, 1])
    expectEqual(refetch.values.first, ["p1#1", "p2#3"])
    #expect(recording.lines.contains(PageLine(55, ["p1#1"], .fetching, .next, .more)))
    refetch.cancel()
    recording.cancel()
    simulation.advance(by: ms(50))
  }

  @Test("T75: without superseding a page command joins, and no page is added")
  func pageJoinsARefetch() throws {
    let (simulation, client) = environment()
    let server = PageServer()
    let feed = server.query()
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: ms(50))
    simulation.task { await client.refetch(.query(feed)) }
    simulation.advance(by: ms(5))
    let result = try simulation.run {
      try await client.fetchNextPage(of: feed, superseding: false)
    }
    expectEqual(result.pages, ["p1#2"])
    expectEqual(server.params, [1, 1])
    expectEqual(recording.lines.last, PageLine(60, ["p1#2"], .more))
  }

  @Test func aPageCommandDuringTheFirstLoadJoinsIt() throws {
    let (simulation, client) = environment()
    let server = PageServer()
    let feed = server.query()
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: ms(5))
    let result = try simulation.run { try await client.fetchNextPage(of: feed) }
    expectEqual(result.pages, ["p1#1"])
    expectEqual(server.params, [1])
    expectEqual(recording.values.count, 2)
  }

  @Test func aPageCommandWithoutDataLoadsTheFirstPage() throws {
    let (simulation, client) = environment()
    let server = PageServer()
    let feed = server.query()
    let recording = simulation.record(client.stream(feed, options: ObserverOptions(enabled: false)))
    simulation.settle()
    let result = try simulation.run { try await client.fetchNextPage(of: feed) }
    expectEqual(result.pages, ["p1#1"])
    expectEqual(server.params, [1])
    expectEqual(recording.lines.map(\.flags), [[], [.fetching, .next], [.more]])
  }

  @Test("I11: cancelling a page restores the pages, the flags and the direction")
  func cancellingAPageRestores() {
    let (simulation, client) = environment()
    let server = PageServer()
    let feed = server.query()
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: ms(50))
    simulation.task { try await client.fetchNextPage(of: feed) }
    simulation.advance(by: ms(5))
    client.cancel(.query(feed))
    simulation.settle()
    expectEqual(
      recording.lines.suffix(2),
      [
        PageLine(50, ["p1#1"], .fetching, .next, .more), PageLine(55, ["p1#1"], .more),
      ]
    )
    expectEqual(server.cancelledCount, 1)
  }

  @Test(
    "law 6: nobody who joins the page of an unobserved list and leaves ends it",
    arguments: [false, true]
  )
  func joiningAPageAndLeavingDoesNotEndIt(isObserver: Bool) throws {
    let (simulation, client) = environment()
    let server = PageServer()
    let feed = server.query()
    _ = try simulation.run { try await client.fetch(feed) }
    let command = simulation.task { try await client.fetchNextPage(of: feed) }
    simulation.advance(by: ms(5))
    if isObserver {
      simulation.record(client.stream(feed)).cancel()
    } else {
      let caller = simulation.task { try await client.fetch(feed) }
      simulation.settle()
      caller.cancel()
    }
    simulation.settle()
    let pages = try simulation.run { try await command.value.pages }
    expectEqual(pages, ["p1#1", "p2#2"])
    expectEqual(server.cancelledCount, 0)
    expect(simulation.isIdle)
  }

  @Test func leavingDuringARefetchFetchesNoFurtherPage() {
    let (simulation, client) = environment()
    let server = PageServer()
    let feed = server.query()
    simulation.task { try await client.fetch(feed, pages: 3) }
    simulation.advance(by: ms(50))
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: ms(15))
    recording.cancel()
    simulation.advance(by: ms(50))
    expectEqual(server.params, [1, 2, 3, 1, 2])
    expectEqual(client.data(for: feed)?.pages, ["p1#1", "p2#2", "p3#3"])
    expect(simulation.isIdle)
  }

  @Test("T40: several pages are loaded at once, fewer where they end")
  func severalPagesAreLoaded() throws {
    let (simulation, client) = environment()
    let server = PageServer(last: 3)
    let feed = server.query().staleTime(.seconds(1))
    let two = try simulation.run { try await client.fetch(feed, pages: 2) }
    expectEqual(two.params, [1, 2])
    let cached = try simulation.run { try await client.fetch(feed, pages: 9) }
    expectEqual(cached.params, [1, 2])
    simulation.advance(by: .seconds(1))
    let all = try simulation.run { try await client.fetch(feed, pages: 9) }
    expectEqual(all.params, [1, 2, 3])
    simulation.advance(by: .seconds(1))
    let again = try simulation.run { try await client.fetch(feed) }
    expectEqual(again.params, [1, 2, 3])
    simulation.advance(by: .seconds(1))
    let ensured = try simulation.run { try await client.ensure(feed, pages: 1) }
    expectEqual(ensured.params, [1, 2, 3])
    simulation.run { await client.prefetch(feed, pages: 1) }
    expectEqual(client.data(for: feed)?.params, [1])
  }

  @Test("features 3.18: only the first page is refetched where the query says so")
  func onlyTheFirstPageIsRefetched() throws {
    let (simulation, client) = environment()
    let server = PageServer()
    let feed = server.query().refetchingFirstPageOnly()
    _ = try simulation.run { try await client.fetch(feed, pages: 3) }
    simulation.run { await client.refetch(.query(feed)) }
    expectEqual(server.params, [1, 2, 3, 1])
    expectEqual(client.data(for: feed)?.pages, ["p1#4", "p2#2", "p3#3"])
  }

  @Test("so it is with code around the fetch, whichever comes first", arguments: [true, false])
  func onlyTheFirstPageWithCodeAround(isAroundFirst: Bool) throws {
    let (simulation, client) = environment()
    let (server, attempts) = (PageServer(), Notes<Int>())
    func counted(_ feed: InfiniteQuery<String, Int>) -> InfiniteQuery<String, Int> {
      feed.aroundFetch { context, fetch in
        attempts.add(context.attempt)
        return try await fetch()
      }
    }
    let feed =
      isAroundFirst
      ? counted(server.query()).refetchingFirstPageOnly()
      : counted(server.query().refetchingFirstPageOnly())
    _ = try simulation.run { try await client.fetch(feed, pages: 3) }
    simulation.run { await client.refetch(.query(feed)) }
    expectEqual(server.params, [1, 2, 3, 1])
    expectEqual(attempts.all, [0, 0])
    expectEqual(client.data(for: feed)?.pages, ["p1#4", "p2#2", "p3#3"])
  }

  @Test("after an error of code around the fetch, a retry fetches again what had arrived")
  func codeAroundFailsAfterThePages() throws {
    let (simulation, client) = environment()
    let server = PageServer()
    let feed = server.query()
      .aroundFetch { context, fetch in
        let pages = try await fetch()
        if context.attempt == 0 { throw PageFailure() }
        return pages
      }
      .retry(1)
    let two = try simulation.run { try await client.fetch(feed, pages: 2) }
    expectEqual(server.params, [1, 2, 1, 2])
    expectEqual(two.pages, ["p1#3", "p2#4"])
    let three = try simulation.run { try await client.fetchNextPage(of: feed) }
    expectEqual(server.params, [1, 2, 1, 2, 3, 3])
    expectEqual(three.pages, ["p1#3", "p2#4", "p3#6"])
  }

  @Test("an update that is written while a page is on its way is kept, and so is the page")
  func updateAndPageAreBothKept() throws {
    let (simulation, client) = environment()
    let server = PageServer()
    let feed = server.query()
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: ms(50))
    simulation.task { try await client.fetchNextPage(of: feed) }
    simulation.advance(by: ms(5))
    client.updateData(for: feed) { $0?.updateEach { page, _ in page += "!" } }
    simulation.advance(by: ms(50))
    expectEqual(
      recording.lines.suffix(3),
      [
        PageLine(50, ["p1#1"], .fetching, .next, .more),
        PageLine(55, ["p1#1!"], .fetching, .next, .more),
        PageLine(60, ["p1#1!", "p2#2"], .more),
      ]
    )
  }

  @Test("pages that no longer end where the new one follows are replaced by the fetch's own")
  func pageAfterARewrite() {
    let (simulation, client) = environment()
    let server = PageServer()
    let feed = server.query()
    simulation.task { try await client.fetch(feed, pages: 2) }
    simulation.advance(by: ms(50))
    simulation.task { try await client.fetchNextPage(of: feed) }
    simulation.advance(by: ms(5))
    client.updateData(for: feed) { $0 = $0?.prefix(1) }
    simulation.advance(by: ms(50))
    expectEqual(client.data(for: feed)?.pages, ["p1#1", "p2#2", "p3#3"])
  }

  @Test("a fenced update keeps the page out")
  func fencedUpdateKeepsThePageOut() {
    let (simulation, client) = environment()
    let feed = PageServer().query()
    simulation.task { try await client.fetch(feed, pages: 2) }
    simulation.advance(by: ms(50))
    simulation.task { try await client.fetchNextPage(of: feed) }
    simulation.advance(by: ms(5))
    client.setData(Pages("mine", param: 1), for: feed, fencing: true)
    simulation.advance(by: ms(50))
    expectEqual(client.data(for: feed)?.pages, ["mine"])
  }

  @Test func pagesThatWereOnlyWrittenHaveFlagsToo() throws {
    let (simulation, client) = environment()
    let feed = PageServer().query().staleTime(.seconds(60))
    client.setData(Pages("mine", param: 1), for: feed)
    expect(client.result(for: feed).hasNextPage)
    let recording = simulation.record(client.stream(feed))
    simulation.settle()
    expectEqual(recording.lines, [PageLine(0, ["mine"], .more)])
  }

  @Test func aQueryThatIsWrittenDownTwiceShowsNothingTwice() throws {
    let (simulation, client) = environment()
    let server = PageServer()
    let recording = simulation.record(client.stream(server.query().staleTime(.seconds(60))))
    simulation.advance(by: ms(50))
    let other = simulation.record(client.stream(server.query().staleTime(.seconds(60))))
    client.cancel(.all)
    simulation.settle()
    expectEqual(recording.values.count, 2)
    expectEqual(other.values.count, 1)
  }

  @Test func cursorsEndThePagesWhenTheyAreMissing() throws {
    struct Chunk: Sendable {
      var items: [Int]
      var cursor: String?
    }
    let (simulation, client) = environment()
    let list = InfiniteQuery<Chunk, String?>("list") { cursor, _ in
      cursor == nil ? Chunk(items: [1], cursor: "b") : Chunk(items: [2], cursor: nil)
    } nextPageParam: {
      $0.lastPage.cursor
    }
    let first = try simulation.run { try await client.fetch(list, pages: 5) }
    expectEqual(first.pages.map(\.items), [[1], [2]])
    expectEqual(first.params, [nil, "b"])
    expect(!client.result(for: list).hasNextPage)
  }

  @Test("offline a page rests, and comes when the network is back")
  func pageRestsOffline() {
    let simulation = Simulation(seed: 1)
    let online = ManualSignal(true)
    let client = QueryClient(simulation: simulation) { $0.connectivity = Connectivity { online } }
    let server = PageServer()
    let feed = server.query().refetchOnReconnect(.never)
    let recording = simulation.record(client.stream(feed))
    simulation.advance(by: ms(50))
    online.send(false)
    simulation.settle()
    simulation.task { try await client.fetchNextPage(of: feed) }
    simulation.advance(by: ms(50))
    expectEqual(recording.values.last?.isPaused, true)
    expectEqual(recording.values.last?.isFetchingNextPage, false)
    online.send(true)
    simulation.advance(by: ms(50))
    expectEqual(recording.lines.last?.pages, ["p1#1", "p2#2"])
  }

  @Test("who joins a page command whose page is removed meanwhile fetches for itself")
  func aPageIsRemovedWhileItsCommandWaits() throws {
    let simulation = Simulation(seed: 1)
    let online = ManualSignal(true)
    let client = QueryClient(simulation: simulation) { $0.connectivity = Connectivity { online } }
    let asked = Mutex<[Int]>([])
    let feed = InfiniteQuery<Int, Int>("feed", initialPageParam: 0) { page, _ in
      asked.withLock { $0.append(page) }
      return page
    } nextPageParam: { pages in
      pages.lastPage == 9 ? nil : pages.count
    }
    client.setData(try #require(Pages([0, 1], params: [0, 1])), for: feed)
    let observer = client.stream(feed.enabled(false))
    simulation.settle()
    online.send(false)
    simulation.settle()
    let command = simulation.task { try await client.fetchNextPage(of: feed) }
    simulation.settle()
    let caller = simulation.task { try await client.fetch(feed) }
    simulation.settle()
    client.setData(Pages(9, param: 0), for: feed)
    online.send(true)
    try expectEqual(simulation.run { try await caller.value }.pages, [0])
    try expectNil(simulation.run { try await command.value }.error)
    expectEqual(asked.withLock { $0 }, [0])
    withExtendedLifetime(observer) {}
  }
}
