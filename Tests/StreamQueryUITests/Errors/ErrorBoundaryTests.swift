import StreamQuery
import StreamQueryTesting
import Testing

@testable import StreamQueryUI

@MainActor
struct ErrorBoundaryTests {
  private struct Fatal: Error {}
  private struct Minor: Error {}

  private func run(_ body: @MainActor (Simulation, QueryClient) -> Void) {
    for seed: UInt64 in 0..<10 {
      Simulation.onMainActor(seed: seed) { body($0, QueryClient(simulation: $0)) }
    }
  }

  private func query(
    _ name: String,
    _ steps: ScriptedFetch<String>.Step...
  ) -> Query<String> {
    Query(key: QueryKey(name), fetch: ScriptedFetch(steps)).retry(0)
      .throwOnError(.when { $0 is Fatal })
  }

  private func names(_ boundary: ErrorBoundary) -> [String] { boundary.errors.map { "\($0)" } }

  @Test("E04: only the errors that the query names go to the boundary")
  func errorsAreChosen() {
    run { simulation, client in
      let boundary = ErrorBoundary()
      let observed = [
        query("fatal", .failure(Fatal())), query("minor", .failure(Minor())),
        query("never", .failure(Fatal())).throwOnError(.never),
        query("data", .failure(Fatal())).throwOnError(.when { $1.data == nil }),
      ].map { ObservedQuery($0, client: client) }
      client.setData("cached", for: observed[3].query)
      for observed in observed { observed.boundary = boundary }
      let screen = Screen { boundary.error == nil }
      simulation.advance(by: .seconds(1))
      expectEqual(names(boundary), ["Fatal()"])
      expectEqual(screen.frames, [true, false])
      #expect(observed.allSatisfy { $0.isError })
    }
  }

  @Test("T94, E02: a reset lets all try again, without data from the start, and waits for them")
  func resetTriesAgain() {
    run { simulation, client in
      var resets = 0
      let boundary = ErrorBoundary { resets += 1 }
      let empty = ObservedQuery(
        query("a", .failure(Fatal()), .value("A", after: .seconds(1))),
        client: client
      )
      client.setData("old", for: QueryKey<String>("b"))
      let full = ObservedQuery(query("b", .failure(Fatal()), .value("new")), client: client)
      for observed in [empty, full] { observed.boundary = boundary }
      simulation.advance(by: .seconds(1))
      expectEqual(names(boundary), ["Fatal()", "Fatal()"])
      var isDone = false
      Task {
        await boundary.reset()
        isDone = true
      }
      simulation.settle()
      expect(boundary.error == nil && resets == 1 && !isDone)
      expect(empty.isPending && empty.error == nil && full.data == "new")
      simulation.advance(by: .seconds(1))
      expect(isDone && empty.data == "A" && boundary.errors.isEmpty)
    }
  }

  @Test("a reset works when the views that failed are gone")
  func resetOutlivesTheObjects() {
    run { simulation, client in
      let boundary = ErrorBoundary()
      let failing = query("a", .failure(Fatal()), .value("A"))
      do {
        let observed = ObservedQuery(failing, client: client)
        observed.boundary = boundary
        simulation.settle()
      }
      expectEqual(names(boundary), ["Fatal()"])
      Task { await boundary.reset() }
      simulation.settle()
      let again = ObservedQuery(failing, client: client)
      again.boundary = boundary
      expect(again.isLoading && boundary.error == nil)
      simulation.settle()
      expectEqual(again.data, "A")
    }
  }

  @Test("E03: the nearest boundary that catches an error gets it")
  func boundariesNest() {
    run { simulation, client in
      let app = ErrorBoundary()
      let screen = ErrorBoundary(parent: app, catches: { $0 is Minor })
      let fatal = ObservedQuery(query("a", .failure(Fatal()), .value("A")), client: client)
      let minor = ObservedQuery(
        query("b", .failure(Minor())).throwOnError(.always),
        client: client
      )
      for observed in [fatal, minor] { observed.boundary = screen }
      simulation.settle()
      expect(names(app) == ["Fatal()"] && names(screen) == ["Minor()"])
      Task { await fatal.refetch() }
      simulation.settle()
      expect(names(app) == [] && names(screen) == ["Minor()"])
      screen.dismiss()
      expect(screen.errors.isEmpty && minor.isError)
    }
  }

  @Test("E01: views report errors of their own")
  func viewsReport() {
    run { simulation, _ in
      let app = ErrorBoundary(catches: { $0 is Fatal })
      let boundary = ErrorBoundary(parent: app, catches: { _ in false })
      var tries = 0
      expect(boundary.report(Fatal()) { tries += 1 })
      expect(!boundary.report(Minor()))
      expect(boundary.errors.isEmpty && names(app) == ["Fatal()"])
      Task { await app.reset() }
      simulation.settle()
      expect(tries == 1 && app.error == nil)
    }
  }

  @Test("an error that was there before the boundary is reported to it")
  func lateBoundaries() {
    run { simulation, client in
      let observed = ObservedQuery(query("a", .failure(Fatal())), client: client)
      simulation.settle()
      let boundary = ErrorBoundary()
      observed.boundary = boundary
      expectEqual(names(boundary), ["Fatal()"])
    }
  }

  @Test("T94: the first value is one await, and an error only if there is nothing to show")
  func firstValues() {
    run { simulation, client in
      let log = FetchLog()
      @MainActor func first(_ observed: some _QueryObjectMembers) {
        Task {
          do {
            log.add("\(try await observed.firstValue())")
          } catch {
            log.add("\(error)")
          }
        }
        simulation.advance(by: .seconds(1))
      }
      first(ObservedQuery(query("a", .value("A", after: .seconds(1))), client: client))
      first(ObservedQuery(query("b", .failure(Fatal())).placeholder("stand-in"), client: client))
      client.setData("old", for: QueryKey<String>("c"))
      first(ObservedQuery(query("c", .failure(Fatal())), client: client))
      first(ObservedSelection(query("a", .value("A")), client: client) { $0.count })
      first(ObservedQuery(query("d", .never)))
      expectEqual(log.lines, ["A", "Fatal()", "old", "1", "noClient"])
    }
  }

  @Test("E02, G05: a list reports the errors that its queries name, each for itself")
  func lists() {
    Simulation.onMainActor { simulation in
      struct Broken: Error {}
      let client = QueryClient(simulation: simulation)
      func broken(_ name: String) -> Query<Int> {
        Query(
          key: QueryKey(name),
          fetch: ScriptedFetch<Int>(.failure(Broken()), .failure(Broken()), .value(1))
        ).retry(0)
      }
      let (thrown, kept) = (broken("thrown").throwOnError(.always), broken("kept"))
      let other = Query("other") { "fine" }
      let boundary = ErrorBoundary()
      let batch = ObservedQueries([AnyQuery(thrown), AnyQuery(kept), AnyQuery(other)])
      batch.boundary = boundary
      batch.start(using: client)
      simulation.settle()
      expect(batch.errors.count == 2 && boundary.errors.count == 1)
      // One that learns of the list later is told of it as well.
      let late = ErrorBoundary()
      batch.boundary = late
      expectEqual(late.errors.count, 1)
      batch.boundary = boundary
      Task { await boundary.reset() }
      simulation.settle()
      expect(boundary.errors.count == 1 && batch.errors.count == 2)
      Task { await boundary.reset() }
      simulation.settle()
      expect(boundary.errors.isEmpty && batch[thrown]?.data == 1)
      expectEqual(batch[kept]?.isError, true)
      // It recovers by itself.
      client.setData(2, for: kept)
      simulation.settle()
      expect(batch.isSuccess)
    }
  }

  @Test("a list tells queries of equal keys apart, by the type of their value and by their place")
  func equalKeys() {
    Simulation.onMainActor { simulation in
      struct Broken: Error {}
      let client = QueryClient(simulation: simulation)
      let broken = Query(
        key: QueryKey<Int>("a"),
        fetch: ScriptedFetch<Int>(.failure(Broken()), .value(1))
      ).retry(0)
      let thrown = broken.throwOnError(.always)
      let fine = Query<String>("a") { "fine" }
      let boundary = ErrorBoundary()
      let batch = ObservedQueries([AnyQuery(broken), AnyQuery(thrown), AnyQuery(fine)])
      batch.boundary = boundary
      batch.start(using: client)
      simulation.settle()
      expect(boundary.errors.count == 1 && batch[fine]?.data == "fine")
      // What the other one has to say is no recovery of this one.
      client.setData("finer", for: fine)
      simulation.settle()
      expectEqual(boundary.errors.count, 1)
      batch.refetch()
      simulation.settle()
      expect(boundary.errors.isEmpty && batch[thrown]?.data == 1)
    }
  }

  @Test("what a list has left, and what is shown no more, reports its error again when it is back")
  func forgottenRoutes() {
    Simulation.onMainActor { simulation in
      struct Broken: Error {}
      let client = QueryClient(simulation: simulation)
      let broken = Query(key: QueryKey<Int>("a"), fetch: ScriptedFetch<Int>(.failure(Broken())))
        .retry(0).throwOnError(.always)
      let list = [AnyQuery(broken).enabled(false)]
      let fetching = ObservedQuery(broken, client: client)
      simulation.settle()
      expect(fetching.isError)
      let boundary = ErrorBoundary()
      let batch = ObservedQueries(list)
      batch.boundary = boundary
      batch.start(using: client)
      expectEqual(boundary.errors.count, 1)
      boundary.dismiss()
      batch.showNothing()
      batch.follow(list, using: client)
      expectEqual(boundary.errors.count, 1)
      boundary.dismiss()
      batch.update([])
      // Any arrival lets go of what is not in the list.
      let other = Query(key: QueryKey<Int>("b"), fetch: ScriptedFetch<Int>(.failure(Broken())))
        .retry(0)
      batch.update([AnyQuery(other)])
      simulation.settle()
      expect(boundary.errors.isEmpty && batch.errors.count == 1)
      batch.update(list)
      expectEqual(boundary.errors.count, 1)
      simulation.settle()
    }
  }

  @Test("a query of a list that recovers by itself leaves the boundary")
  func listsRecover() {
    Simulation.onMainActor { simulation in
      struct Broken: Error {}
      let client = QueryClient(simulation: simulation)
      let query = Query(
        key: QueryKey<Int>("n"),
        fetch: ScriptedFetch<Int>(.failure(Broken()), .value(1))
      ).retry(0).throwOnError(.always)
      let boundary = ErrorBoundary()
      let batch = ObservedQueries([AnyQuery(query)], client: client)
      batch.boundary = boundary
      simulation.settle()
      expectEqual(boundary.errors.count, 1)
      batch.refetch()
      simulation.settle()
      expect(boundary.errors.isEmpty && batch[query]?.data == 1)
    }
  }

  @Test("E04: who shows a recovery first takes the error away, also for those that show it later")
  func recoveryBeforeTheDelivery() {
    run { simulation, client in
      let boundary = ErrorBoundary()
      let failing = query("a", .failure(Fatal()))
      let first = ObservedQuery(failing, client: client)
      let second = ObservedQuery(failing, client: client)
      let list = ObservedQueries([AnyQuery(failing)], client: client)
      (first.boundary, second.boundary, list.boundary) = (boundary, boundary, boundary)
      simulation.settle()
      expectEqual(names(boundary), ["Fatal()"])
      client.setData("written", for: failing)
      // A view that is drawn names its query, which shows the newest state before the delivery does.
      first.update(query: failing)
      expectEqual(first.data, "written")
      expectEqual(names(boundary), [])
      simulation.settle()
      expect(second.data == "written" && list.isSuccess && boundary.errors.isEmpty)
    }
  }

  @Test("E04: the error of a former key leaves the boundary")
  func theErrorOfAFormerKeyLeavesTheBoundary() {
    run { simulation, client in
      let (boundary, kept) = (ErrorBoundary(), ErrorBoundary())
      let failing = query("a", .failure(Fatal()))
      let observed = ObservedQuery(failing, client: client)
      let list = ObservedQueries([AnyQuery(failing)], client: client)
      (observed.boundary, list.boundary) = (boundary, kept)
      simulation.settle()
      expect(names(boundary) == ["Fatal()"] && names(kept) == ["Fatal()"])
      let other = query("b", .value("B"))
      observed.update(query: other)
      expectEmpty(boundary.errors)
      list.update([AnyQuery(other)])
      simulation.settle()
      expect(observed.data == "B" && boundary.errors.isEmpty && kept.errors.isEmpty)
    }
  }

  @Test("E04: the error of a former client leaves the boundary")
  func theErrorOfAFormerClientLeavesTheBoundary() {
    run { simulation, client in
      let boundary = ErrorBoundary()
      let other = QueryClient(simulation: simulation)
      let failing = query("a", .failure(Fatal()), .value("A"), .value("A"))
      let observed = ObservedQuery(failing, client: client)
      let listed = query("b", .failure(Fatal()), .value("B"))
      let list = ObservedQueries([AnyQuery(listed)], client: client)
      (observed.boundary, list.boundary) = (boundary, boundary)
      simulation.settle()
      expectEqual(names(boundary), ["Fatal()", "Fatal()"])
      observed.start(using: other)
      list.start(using: other)
      simulation.settle()
      expect(observed.data == "A" && list.isSuccess && boundary.errors.isEmpty)
    }
  }

  @Test("an object that stops leaves its error where it is")
  func aStopLeavesTheError() {
    run { simulation, client in
      let boundary = ErrorBoundary()
      let observed = ObservedQuery(query("a", .failure(Fatal())), client: client)
      observed.boundary = boundary
      simulation.settle()
      observed.stop()
      simulation.settle()
      expectEqual(names(boundary), ["Fatal()"])
    }
  }

  @Test("E04: the error of a query stays while another object shows it")
  func othersKeepTheError() {
    run { simulation, client in
      let boundary = ErrorBoundary()
      let failing = query("a", .failure(Fatal()))
      let both = [ObservedQuery(failing, client: client), ObservedQuery(failing, client: client)]
      let list = ObservedQueries([AnyQuery(failing), AnyQuery(failing)], client: client)
      for observed in both { observed.boundary = boundary }
      list.boundary = boundary
      simulation.settle()
      expectEqual(names(boundary), ["Fatal()"])
      for observed in both {
        observed.update(query: query("b", .value("B")))
        simulation.settle()
        expectEqual(names(boundary), ["Fatal()"])
      }
      list.update([AnyQuery(failing)])
      expectEqual(names(boundary), ["Fatal()"])
      list.update([])
      expectEmpty(boundary.errors)
      withExtendedLifetime((both, list)) {}
    }
  }

  @Test("E04: the error of a former key leaves the boundary when the new one is looked at first")
  func aPreviewLeavesTheErrorOfAFormerKey() {
    run { simulation, client in
      let (boundary, kept) = (ErrorBoundary(), ErrorBoundary())
      let failing = query("a", .failure(Fatal()))
      let fresh = query("b", .value("B")).staleTime(.infinite)
      let other = ObservedQuery(fresh, client: client)
      let observed = ObservedQuery(failing)
      let list = ObservedQueries([AnyQuery(failing)], client: client)
      (observed.boundary, list.boundary) = (boundary, kept)
      observed.drawn(failing, using: client)
      observed.appeared(using: client)
      simulation.settle()
      expect(names(boundary) == ["Fatal()"] && names(kept) == ["Fatal()"])
      observed.disappeared()
      list.stop()
      simulation.settle()
      expect(names(boundary) == ["Fatal()"] && names(kept) == ["Fatal()"])
      // Nothing changes when they observe it: another object shows the same.
      observed.drawn(fresh, using: client)
      list.preview([AnyQuery(fresh)], client)
      expect(observed.data == "B" && boundary.errors.isEmpty && kept.errors.isEmpty)
      observed.appeared(using: client)
      list.start(using: client)
      simulation.settle()
      expect(boundary.errors.isEmpty && kept.errors.isEmpty)
      withExtendedLifetime((observed, list, other)) {}
    }
  }

  @Test("E04: the error of a former client leaves the boundary when the new one is looked at first")
  func aPreviewLeavesTheErrorOfAFormerClient() {
    run { simulation, client in
      let boundary = ErrorBoundary()
      let next = QueryClient(simulation: simulation)
      let shared = query("a", .failure(Fatal()), .value("A")).staleTime(.infinite)
      let observed = ObservedQuery(shared)
      observed.boundary = boundary
      observed.drawn(shared, using: client)
      observed.appeared(using: client)
      simulation.settle()
      expectEqual(names(boundary), ["Fatal()"])
      observed.disappeared()
      let other = ObservedQuery(shared, client: next)
      simulation.settle()
      observed.drawn(shared, using: next)
      expect(observed.data == "A" && boundary.errors.isEmpty)
      observed.appeared(using: next)
      simulation.settle()
      expect(observed.data == "A" && boundary.errors.isEmpty)
      withExtendedLifetime((observed, other)) {}
    }
  }

  @Test("an error that a preview has shown is reported when the object observes")
  func anErrorThatWasLookedAtIsReported() {
    run { simulation, client in
      let (boundary, listed) = (ErrorBoundary(), ErrorBoundary())
      let failing = query("a", .failure(Fatal())).retryOnSubscribe(false)
      let first = ObservedQuery(failing, client: client)
      simulation.settle()
      let observed = ObservedQuery(failing)
      let list = ObservedQueries([AnyQuery(failing)])
      (observed.boundary, list.boundary) = (boundary, listed)
      observed.preview(failing, nil, client)
      list.preview([AnyQuery(failing)], client)
      expect(observed.isError && boundary.errors.isEmpty && listed.errors.isEmpty)
      observed.start(using: client)
      list.start(using: client)
      expect(names(boundary) == ["Fatal()"] && names(listed) == ["Fatal()"])
      withExtendedLifetime((observed, list, first)) {}
    }
  }

  @Test("E04: who reported an error and is gone does not keep it")
  func whoIsGoneDoesNotKeepTheError() {
    run { simulation, client in
      let boundary = ErrorBoundary()
      let failing = query("a", .failure(Fatal()))
      let observed = ObservedQuery(failing, client: client)
      observed.boundary = boundary
      do {
        let row = ObservedQuery(failing, client: client)
        row.boundary = boundary
        simulation.settle()
        withExtendedLifetime(row) {}
      }
      expectEqual(names(boundary), ["Fatal()"])
      observed.update(query: query("b", .value("B")))
      simulation.settle()
      expectEmpty(boundary.errors)
      withExtendedLifetime(observed) {}
    }
  }

  @Test("the error of whom is gone stays until somebody who has reported it shows something else")
  func theErrorOfWhoIsGoneStays() {
    run { simulation, client in
      let boundary = ErrorBoundary()
      do {
        let row = ObservedQuery(query("a", .failure(Fatal())), client: client)
        row.boundary = boundary
        simulation.settle()
        withExtendedLifetime(row) {}
      }
      // They never reported it, whatever addresses they have.
      for _ in 1...20 {
        let observed = ObservedQuery(query("b", .failure(Fatal())), client: client)
        observed.boundary = boundary
        simulation.settle()
        observed.update(query: query("c", .value("C")))
        simulation.settle()
        withExtendedLifetime(observed) {}
      }
      expectEqual(names(boundary), ["Fatal()"])
    }
  }
}
