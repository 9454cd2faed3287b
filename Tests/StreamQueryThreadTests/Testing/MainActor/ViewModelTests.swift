import Observation
import StreamQuery
import StreamQueryTesting
import Testing

/// Ten models as apps have them, each with many seeds, beside noise: what holds for all seeds is
/// asserted in the scenario, and two runs with the same seed take the same course.
///
/// `STREAMQUERY_SEEDS=100` tries a thousand seeds of each.
@MainActor struct ViewModelTests {
  /// What one run did.
  private struct Course: Equatable {
    var lines: [String]
    var hash: UInt64
    var jobs: Int
    var failures: [String]
  }

  /// What a scenario writes down, with the time.
  @MainActor private final class Journal {
    private let simulation: Simulation
    private(set) var lines: [String] = []

    init(_ simulation: Simulation) { self.simulation = simulation }

    /// Lets time pass and notes what is shown then.
    func after(_ duration: Duration, _ shown: () -> Any) {
      simulation.advance(by: duration)
      lines.append("\(simulation.now) \(shown())")
    }
  }

  private typealias Scenario = @MainActor (Simulation, QueryClient, Journal) -> Void

  private func course(_ seed: UInt64, _ scenario: Scenario) -> Course {
    Simulation.onMainActor(seed: seed) { simulation in
      let journal = Journal(simulation)
      scenario(simulation, QueryClient(simulation: simulation), journal)
      return Course(
        lines: journal.lines,
        hash: simulation.scheduleHash,
        jobs: simulation.jobCount,
        failures: simulation.failures
      )
    }
  }

  private func check(_ scenario: Scenario) async {
    var hashes: Set<UInt64> = []
    let rounds = await Noise.during {
      for seed in Seeds.few(10) {
        let first = course(seed, scenario)
        expectEqual(first, course(seed, scenario), "seed \(seed)")
        expectEqual(first.failures, [], "seed \(seed)")
        hashes.insert(first.hash)
      }
    }
    #expect(rounds > 0)
    // Otherwise the seeds try nothing: the models' tasks are not what they choose among.
    #expect(hashes.count > 1)
  }

  @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
  @Test func aTaskInInit() async {
    await check { simulation, client, journal in
      let fetch = ScriptedFetch<String>(.value("Ada", after: .milliseconds(30)), .value("Grace"))
      let user = Query("user", fetch: fetch)
      var model: ProfileModel? = ProfileModel(client, user)
      expectEqual(model?.name, "…")
      journal.after(.zero) { model?.name ?? "" }
      journal.after(.milliseconds(30)) { model?.name ?? "" }
      expectEqual(model?.name, "Ada")
      client.setData("Alan", for: user.key)
      Task { await client.invalidate(.prefix("user")) }
      journal.after(.milliseconds(1)) { model?.name ?? "" }
      expectEqual(model?.name, "Grace")
      weak let gone = model
      model = nil
      journal.after(.seconds(1)) { simulation.leakReport() }
      expectNil(gone)
      expectEqual(simulation.leakReport(), [])
    }
  }

  @Test func aViewsTask() async {
    await check { simulation, client, journal in
      let fetch = ScriptedFetch<[String]>(.value(["one"], after: .seconds(1)), .value(["two"]))
      let timeline = Query("timeline", fetch: fetch)
      let model = TimelineModel()
      let view = Task { await model.follow(client, timeline) }
      journal.after(.zero) { (model.posts, model.isRefreshing) }
      expect(model.isRefreshing)
      journal.after(.seconds(1)) { (model.posts, model.isRefreshing) }
      expect(model.posts == ["one"] && !model.isRefreshing)
      view.cancel()
      journal.after(.zero) { model.isFollowing }
      expect(!model.isFollowing)
      Task { await model.follow(client, timeline) }
      journal.after(.zero) { (model.posts, model.isRefreshing) }
      expectEqual(model.posts, ["two"])
    }
  }

  @Test func aWeakLoop() async {
    await check { simulation, client, journal in
      let fetch = ScriptedFetch<Int>(.value(3, after: .milliseconds(5)), .value(4))
      let inbox = Query("inbox", fetch: fetch)
      var model: BadgeModel? = BadgeModel(client, inbox)
      journal.after(.milliseconds(5)) { model?.unread ?? -1 }
      expectEqual(model?.unread, 3)
      journal.after(.seconds(10)) { model?.unread ?? -1 }
      expectEqual(model?.unread, 4)
      model = nil
      // The loop finds out with the next element, and leaves: nobody polls any more.
      journal.after(.seconds(10)) { fetch.calls.count }
      let calls = fetch.calls.count
      journal.after(.seconds(60)) { simulation.leakReport() }
      expectEqual(fetch.calls.count, calls)
      expectEqual(simulation.leakReport(), [])
    }
  }

  @Test func searchAsYouType() async {
    await check { simulation, client, journal in
      let fetch = ScriptedFetch<[String]>(.value(["Ada", "Alan"], after: .milliseconds(50)))
      let model = SearchModel(client, clock: simulation.clock) { Query("search", $0, fetch: fetch) }
      for letters in ["a", "ad", "ada"] {
        model.text = letters
        journal.after(.milliseconds(100)) { model.found }
      }
      expectEmpty(fetch.calls)
      journal.after(.milliseconds(200)) { model.found }
      journal.after(.milliseconds(50)) { model.found }
      expectEqual(model.found, ["Ada", "Alan"])
      expectEqual(fetch.calls.count, 1)
    }
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test func observations() async {
    await check { _, client, journal in
      let fetch = ScriptedFetch<Int>(.value(10, after: .milliseconds(20)))
      let model = CartModel(client, Query("price", fetch: fetch))
      model.items["tea"] = 1
      journal.after(.milliseconds(20)) { model.totals }
      expectEqual(model.total, 10)
      model.items["tea"] = 2
      model.items["cup"] = 1
      journal.after(.zero) { model.totals }
      expectEqual(model.total, 30)
      model.close()
      journal.after(.zero) { model.totals }
    }
  }

  @Test func anAsynchronousLoad() async {
    await check { simulation, client, journal in
      let fetch = ScriptedFetch<String>(
        .failure(CancellationError(), after: .milliseconds(10)),
        .value("text", after: .milliseconds(10))
      )
      let model = DetailModel(client, Query("detail", fetch: fetch).retry(.never))
      model.reloadTapped()
      model.reloadTapped()
      expect(!model.isLoading)
      journal.after(.zero) { (model.isLoading, model.text ?? "", model.problem ?? "") }
      expect(model.isLoading)
      journal.after(.milliseconds(10)) { (model.isLoading, model.text ?? "", model.problem ?? "") }
      expect(!model.isLoading && model.problem != nil)
      expectEqual(fetch.calls.count, 1)
      model.reloadTapped()
      journal.after(.milliseconds(10)) { (model.isLoading, model.text ?? "", model.problem ?? "") }
      expect(model.text == "text" && model.problem == nil && !model.isLoading)
      expect(simulation.isIdle)
    }
  }

  @Test func aDetachedTask() async {
    await check { _, client, journal in
      let fetch = ScriptedFetch<String>(.value("the quick brown fox", after: .milliseconds(10)))
      let model = ReportModel()
      model.importTapped(client, Query("document", fetch: fetch))
      journal.after(.milliseconds(9)) { (model.progress, model.words ?? -1) }
      expectEqual(model.progress, 0)
      journal.after(.milliseconds(1)) { (model.progress, model.words ?? -1) }
      expect(model.progress == 4 && model.words == 4)
    }
  }

  @Test func severalAtOnce() async {
    await check { simulation, client, journal in
      let left = Query("left", fetch: ScriptedFetch<String>(.value("l", after: .milliseconds(10))))
      let right = Query("right", fetch: ScriptedFetch<String>(.value("r", after: .milliseconds(5))))
      let model = DashboardModel()
      model.refresh(client, left, right)
      journal.after(.milliseconds(5)) { model.title }
      expectEqual(model.title, "")
      journal.after(.milliseconds(5)) { model.title }
      expectEqual(model.title, "l & r")
      expectEqual(model.names, ["l", "r", "l & r"])
      expect(simulation.isIdle)
    }
  }

  @Test func aPoll() async {
    await check { simulation, client, journal in
      let fetch = ScriptedFetch<Int>(
        .value(1, after: .milliseconds(10)),
        .value(2, after: .milliseconds(10)),
        .value(3)
      )
      let model = TickerModel()
      model.start(client, Query("price", fetch: fetch), clock: simulation.clock)
      journal.after(.milliseconds(10)) { model.prices }
      expectEqual(model.prices, [1])
      journal.after(.seconds(5)) { model.prices }
      journal.after(.milliseconds(10)) { model.prices }
      expectEqual(model.prices, [1, 2])
      model.stop()
      journal.after(.seconds(60)) { model.prices }
      expectEqual(model.prices, [1, 2])
      expect(simulation.isIdle)
    }
  }

  @Test func anOptimisticSave() async {
    await check { _, client, journal in
      let fetch = ScriptedFetch<String>(.value("old"))
      let title = Query("title", fetch: fetch)
      let save = ScriptedFetch<String>(
        .failure(CancellationError(), after: .milliseconds(10)),
        .value("new", after: .milliseconds(10))
      )
      let rename = Mutation<String, String>("rename") { input, context in
        let saved = try await save()
        context.client.setData(saved, for: title.key)
        return saved
      }
      .optimistic { input, changes in changes.update(title.key) { $0 = input } }
      let model = EditorModel(client, title, rename)
      journal.after(.zero) { model.shown }
      expectEqual(model.shown, ["old"])
      model.saveTapped("typed")
      journal.after(.zero) { (model.shown, model.isSaving) }
      expect(model.shown == ["old", "typed"] && model.isSaving)
      journal.after(.milliseconds(10)) { (model.shown, model.problem ?? "") }
      expect(model.shown == ["old", "typed", "old"] && model.problem == "not saved")
      model.saveTapped("new")
      journal.after(.milliseconds(10)) { model.shown }
      expect(model.shown == ["old", "typed", "old", "new"] && !model.isSaving)
    }
  }
}
