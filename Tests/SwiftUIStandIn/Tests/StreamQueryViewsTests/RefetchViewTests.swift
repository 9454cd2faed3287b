import StreamQuery
import StreamQueryTesting
import SwiftUI
import Testing

@testable import StreamQueryViews

private struct User: Hashable, Sendable {
  var name: String
}

/// Answers with how often it was asked.
@MainActor
private final class Server {
  private(set) var count = 0

  func count() async throws -> Int {
    count += 1
    return count
  }

  func user(_ id: Int) async throws -> User { User(name: "Ada \(try await count())") }

  func search(_ term: String) async throws -> [String] { ["\(term) \(try await count())"] }
}

// MARK: Views

/// Data that hardly ever changes.
private struct ConfigView: View {
  @LiveQuery<Int> private var config

  init(_ server: Server) {
    _config = LiveQuery(
      Query("app-config") { try await server.count() }
        .staleTime(.hours(24))
        .refetchOnAppear(.never).refetchOnReconnect(.never).refetchOnActive(.never)
    )
  }

  var body: some View { Text("Config \(config.data ?? 0)").attach($config) }
}

/// Data that changes all the time.
private struct NotificationsView: View {
  @LiveQuery<Int> private var notifications

  init(_ server: Server) {
    _notifications = LiveQuery(
      Query("notifications") { try await server.count() }
        .staleTime(.zero)
        .refetchOnAppear(.always).refetchOnReconnect(.always).refetchOnActive(.always)
    )
  }

  var body: some View { Text("\(notifications.data ?? 0) new").attach($notifications) }
}

/// Data that is good for a while.
private struct UserProfileView: View {
  @LiveQuery<User> private var user

  init(_ server: Server, userID: Int) {
    _user = LiveQuery(
      Query("user", userID) { try await server.user(userID) }
        .staleTime(.minutes(5))
        .refetchOnAppear(.ifStale).refetchOnReconnect(.ifStale).refetchOnActive(.never)
    )
  }

  var body: some View {
    Group {
      switch user.phase {
      case .pending: ProgressView()
      case .success(let user): Text(user.name)
      case .failure(let error, _): Text("\(error)")
      }
    }
    .attach($user)
  }
}

/// Data that is only of interest while the user looks for something.
private struct SearchResultsView: View {
  let server: Server
  let searchTerm: String
  @State private var isSearching = false
  @LiveQuery<[String]> private var results

  private var query: Query<[String]> {
    Query("search", searchTerm) { [server, searchTerm] in try await server.search(searchTerm) }
      .staleTime(.minutes(10))
      .refetchOnAppear(.when { [isSearching] in isSearching })
      .refetchOnReconnect(.ifStale)
  }

  var body: some View {
    Group {
      List(results.data ?? [], id: \.self) { Text($0) }
      Button("Search on") { isSearching = true }
    }
    .query($results, query)
  }
}

/// A stack above whose root another screen may lie.
private struct Stack<Root: View>: View {
  @Bindable var switches: Switches
  let root: Root

  var body: some View {
    NavigationStack(path: $switches.path) {
      root.navigationDestination(for: Int.self) { _ in SwiftUI.Text(verbatim: "other") }
    }
  }
}

// MARK: Tests

/// Screens that differ in when they fetch again.
@MainActor
struct RefetchViewTests {
  /// What a screen shows at first, after it was hidden, after the network and after the app were
  /// away, each time for a while.
  private func shown(
    _ world: World,
    afterSeconds age: Int,
    _ view: some View
  ) -> [String] {
    let (online, active) = (ManualSignal(true), ManualSignal(true))
    let client = QueryClient(simulation: world.simulation) {
      $0.connectivity = Connectivity { online }
      $0.activity = AppActivity { active }
    }
    let switches = Switches()
    let screen = world.show(Stack(switches: switches, root: view.queryClient(client)))
    var shown: [String] = []
    @MainActor func look() {
      world.advance(1)
      shown += screen.texts
      world.advance(age * 1000)
    }
    look()
    switches.path = [1]
    world.advance(0)
    switches.path = []
    look()
    for signal in [online, active] {
      signal.send(false)
      signal.send(true)
      look()
    }
    screen.unmount()
    return shown
  }

  @Test("W04: a configuration is fetched once")
  func config() {
    World.run { world in
      #expect(
        shown(world, afterSeconds: 3600, ConfigView(Server()))
          == ["Config 1", "Config 1", "Config 1", "Config 1"]
      )
    }
  }

  @Test("W04: notifications are fetched at each occasion")
  func notifications() {
    World.run { world in
      #expect(
        shown(world, afterSeconds: 1, NotificationsView(Server()))
          == ["1 new", "2 new", "3 new", "4 new"]
      )
    }
  }

  @Test("W04: a profile is fetched when it is stale, and not because the app is back")
  func profile() {
    World.run { world in
      #expect(
        shown(world, afterSeconds: 60, UserProfileView(Server(), userID: 1))
          == ["Ada 1", "Ada 1", "Ada 1", "Ada 1"]
      )
      #expect(
        shown(world, afterSeconds: 301, UserProfileView(Server(), userID: 1))
          == ["Ada 1", "Ada 2", "Ada 3", "Ada 3"]
      )
    }
  }

  @Test("W04: results are fetched on appearing only while the user searches")
  func search() {
    World.run { world in
      let switches = Switches()
      let view = SearchResultsView(server: Server(), searchTerm: "swift")
      let screen = world.show(Stack(switches: switches, root: view))
      @MainActor func comeBack() {
        switches.path = [1]
        world.advance(0)
        switches.path = []
        world.advance(1)
      }
      world.advance(1)
      #expect(screen.texts == ["swift 1"])
      comeBack()
      #expect(screen.texts == ["swift 1"])
      screen.tap("Search on")
      world.advance(1)
      comeBack()
      #expect(screen.texts == ["swift 2"])
      screen.unmount()
    }
  }
}
