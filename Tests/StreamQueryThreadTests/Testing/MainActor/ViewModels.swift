import Observation
import StreamQuery
import StreamQueryTesting

// Ten models as apps have them. None knows that it is tested: they start plain tasks, and those that
// wait take a clock, as they would for a preview.

/// A task in `init`, cancelled by an isolated `deinit`.
@available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
@MainActor @Observable final class ProfileModel {
  private(set) var name = "…"
  @ObservationIgnored private var following: Task<Void, Never>?

  init(_ client: QueryClient, _ user: Query<String>) {
    following = Task { [weak self] in
      for await result in client.stream(user) { self?.name = result.data ?? "…" }
    }
  }

  isolated deinit { following?.cancel() }
}

/// What a view calls from `.task`: it ends with the view.
@MainActor @Observable final class TimelineModel {
  private(set) var posts: [String] = []
  private(set) var isRefreshing = false
  private(set) var isFollowing = false

  func follow(_ client: QueryClient, _ timeline: Query<[String]>) async {
    isFollowing = true
    defer { isFollowing = false }
    for await result in client.stream(timeline) {
      posts = result.data ?? []
      isRefreshing = result.isFetching
    }
  }
}

/// A loop that lets go of its model between two elements, and ends when it is gone.
@MainActor @Observable final class BadgeModel {
  private(set) var unread = 0

  init(_ client: QueryClient, _ inbox: Query<Int>) {
    Task { [weak self] in
      for await result in client.stream(inbox, options: .init(refetchInterval: .seconds(10))) {
        guard let self else { return }
        if let unread = result.data { self.unread = unread }
      }
    }
  }
}

/// Search as you type: each letter replaces the task of the one before.
@MainActor @Observable final class SearchModel {
  var text = "" { didSet { search() } }
  private(set) var found: [String] = []
  @ObservationIgnored private var searching: Task<Void, Never>?
  @ObservationIgnored private let client: QueryClient
  @ObservationIgnored private let query: @Sendable (String) -> Query<[String]>
  @ObservationIgnored private let clock: any Clock<Duration>

  init(
    _ client: QueryClient,
    clock: any Clock<Duration>,
    query: @escaping @Sendable (String) -> Query<[String]>
  ) {
    self.client = client
    self.clock = clock
    self.query = query
  }

  private func search() {
    searching?.cancel()
    searching = Task { [text, client, query, clock, weak self] in
      do {
        try await clock.sleep(for: .milliseconds(300))
        let found = try await client.fetch(query(text))
        self?.found = found
      } catch {
        // The next letter has cancelled this one.
      }
    }
  }
}

/// Follows its own properties by `Observations`.
@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
@MainActor @Observable final class CartModel {
  var items: [String: Int] = [:]
  private(set) var total = 0
  private(set) var totals: [Int] = []
  @ObservationIgnored private var following: Task<Void, Never>?

  init(_ client: QueryClient, _ price: Query<Int>) {
    following = Task { [weak self] in
      for await items in Observations({ self?.items }) {
        guard let items else { return }
        guard let price = try? await client.ensure(price) else { continue }
        self?.show(items.values.reduce(0, +) * price)
      }
    }
  }

  func close() { following?.cancel() }

  private func show(_ total: Int) {
    self.total = total
    totals.append(total)
  }
}

/// An asynchronous method that a button calls, with a flag and an error.
@MainActor @Observable final class DetailModel {
  private(set) var text: String?
  private(set) var isLoading = false
  private(set) var problem: String?
  @ObservationIgnored private let client: QueryClient
  @ObservationIgnored private let query: Query<String>

  init(_ client: QueryClient, _ query: Query<String>) {
    self.client = client
    self.query = query
  }

  func reloadTapped() {
    Task { await load() }
  }

  func load() async {
    guard !isLoading else { return }
    isLoading = true
    defer { isLoading = false }
    do {
      text = try await client.fetch(query)
      problem = nil
    } catch {
      problem = "\(error)"
    }
  }
}

/// Heavy work in a detached task that reports back.
@MainActor @Observable final class ReportModel {
  private(set) var progress = 0
  private(set) var words: Int?

  func importTapped(_ client: QueryClient, _ document: Query<String>) {
    Task.detached { [weak self] in
      guard let text = try? await client.fetch(document) else { return }
      var words = 0
      for (index, word) in text.split(separator: " ").enumerated() {
        if !word.isEmpty { words += 1 }
        await MainActor.run { self?.progress = index + 1 }
      }
      let count = words
      Task { @MainActor in self?.words = count }
    }
  }
}

/// Several at once, through an actor, a group and the pool.
@MainActor @Observable final class DashboardModel {
  private actor Tally {
    private(set) var names: [String] = []
    func add(_ name: String) { names.append(name) }
  }

  private(set) var title = ""
  private(set) var names: Set<String> = []
  @ObservationIgnored private let tally = Tally()

  func refresh(_ client: QueryClient, _ left: Query<String>, _ right: Query<String>) {
    Task {
      async let first = client.fetch(left)
      async let second = client.fetch(right)
      guard let parts = try? await (first, second) else { return }
      title = await Self.joined(parts.0, parts.1)
      let tally = tally
      await withTaskGroup(of: Void.self) { group in
        for part in [parts.0, parts.1, title] {
          group.addTask { await tally.add(part) }
        }
      }
      names = Set(await tally.names)
    }
  }

  @concurrent private static func joined(_ left: String, _ right: String) async -> String {
    MainActor.shared === MainActor.shared ? "\(left) & \(right)" : ""
  }
}

/// A poll that sleeps between two fetches until it is stopped.
@MainActor @Observable final class TickerModel {
  private(set) var prices: [Int] = []
  @ObservationIgnored private var polling: Task<Void, any Error>?

  func start(_ client: QueryClient, _ price: Query<Int>, clock: any Clock<Duration>) {
    polling = Task {
      while true {
        prices.append(try await client.fetch(price))
        try await clock.sleep(for: .seconds(5))
      }
    }
  }

  func stop() { polling?.cancel() }
}

/// Saves by an optimistic mutation, and shows what it follows.
@MainActor @Observable final class EditorModel {
  private(set) var shown: [String] = []
  private(set) var problem: String?
  private(set) var isSaving = false
  @ObservationIgnored private let client: QueryClient
  @ObservationIgnored private let rename: Mutation<String, String>

  init(_ client: QueryClient, _ title: Query<String>, _ rename: Mutation<String, String>) {
    self.client = client
    self.rename = rename
    Task { [weak self] in
      for await result in client.stream(title) {
        guard let self else { return }
        if let title = result.data, title != shown.last { shown.append(title) }
      }
    }
  }

  func saveTapped(_ title: String) {
    isSaving = true
    Task {
      do {
        _ = try await client.mutate(rename, with: title)
      } catch {
        problem = "not saved"
      }
      isSaving = false
    }
  }
}
