public import Foundation
@_spi(Adapters) public import StreamQuery
internal import Synchronization

/// Shows a client in a browser on this machine: its keys, fetches and mutations, live and back in time.
///
/// ```swift
/// var configuration = QueryClient.Configuration()
/// configuration.record = .last(1_000)
/// let client = QueryClient(configuration: configuration)
/// Inspector(client).start()   // prints the link
/// ```
///
/// The page has what the client's record has. It listens on the loopback address only, and gives nothing of the client
/// away without the token in the link. It is off in release builds, and shows no values, unless you say otherwise.
///
/// An inspector does not retain its client. It stops when the client is shut down or freed, or when you call ``stop()``;
/// it needs not be kept.
public final class Inspector: Sendable {
  /// The builds of an app in which an inspector works.
  public enum Builds: Hashable, Sendable {
    /// Debug builds of this package, which are those of the app in Xcode.
    case debugBuilds
    /// All builds. Everybody with access to the machine can then look into the app.
    case allBuilds
  }

  /// The powers of somebody who has the link.
  public struct Permissions: OptionSet, Hashable, Sendable {
    /// The bits of the set.
    public let rawValue: Int

    /// Creates a set of its bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// To invalidate, refetch, remove and edit data, to take the network away, and to slow down the client.
    public static let actions = Permissions(rawValue: 1)
    /// To see the data of queries.
    ///
    /// A record has values only if its policy asks for them too.
    public static let values = Permissions(rawValue: 2)
  }

  private typealias Started = (link: URL, server: InspectorServer)

  private enum Stage {
    case idle
    case listening(Task<Started, any Error>)
    case stopped
  }

  private let subject: InspectedClient
  private let permissions: Permissions
  private let port: UInt16
  private let isOn: Bool
  private let log: @Sendable (String) -> Void
  private let stage = Mutex(Stage.idle)

  /// Creates an inspector, which does nothing yet.
  ///
  /// - Parameters:
  ///   - client: The client to look at; it is not retained.
  ///   - builds: The builds in which the inspector works.
  ///   - permissions: The powers of somebody who has the link: actions, but no values.
  ///   - port: The port to listen on; `nil` is a free one.
  ///   - name: The name of the client on the page; `nil` is that of the process.
  ///   - log: Receives the link, the reason for which there is none, and its loss and return; prints them by default.
  public init(
    _ client: QueryClient,
    in builds: Builds = .debugBuilds,
    allows permissions: Permissions = .actions,
    port: UInt16? = nil,
    named name: String? = nil,
    log: @escaping @Sendable (String) -> Void = { print("StreamQuery: \($0)") }
  ) {
    subject = InspectedClient(
      client,
      name: name ?? ProcessInfo.processInfo.processName,
      allows: permissions
    )
    self.permissions = permissions
    self.port = port ?? 0
    self.log = log
    isOn = builds == .allBuilds || Self.isDebugBuild
  }

  private static var isDebugBuild: Bool {
    #if DEBUG
    true
    #else
    false
    #endif
  }

  /// 128 random bits, as text.
  private static func newToken() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(generator.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Starts to listen, and logs the link or the reason for which there is none.
  ///
  /// A second call does nothing, nor does a call in a build in which the inspector is off. If the system takes the socket
  /// away, as that of iOS may do while the app is in the background, the inspector says so in the log, and listens again
  /// at the same link; if that is impossible for about 20 seconds, it logs ``InspectorError/lost(port:reason:)``.
  ///
  /// - Returns: The inspector.
  @discardableResult
  public func start() -> Self {
    guard isOn else { return self }
    let (task, isNew) = listening()
    guard isNew else { return self }
    let log = log
    // It has no executor preference, because the work of the inspector is not the client's.
    Task {
      do {
        log("inspector at \(try await task.value.link.absoluteString)")
      } catch {
        log("no inspector: \(error)")
      }
    }
    return self
  }

  /// The link to the page, when the inspector listens; starts it if that was not done.
  ///
  /// `nil` in a build in which the inspector is off.
  ///
  /// - Throws: An ``InspectorError`` if it cannot listen, or not any more.
  public var link: URL? {
    get async throws {
      guard isOn else { return nil }
      return try await listening().task.value.server.link
    }
  }

  /// Stops listening, ends all connections and the conditions that pages have set; pages that are open say that the app is
  /// not reachable.
  ///
  /// It cannot be started again.
  public func stop() async {
    let former = stage.withLock { stage in
      defer { stage = .stopped }
      return stage
    }
    if case .listening(let task) = former, case .success(let started) = await task.result {
      await started.server.stop()
    }
  }

  private func listening() -> (task: Task<Started, any Error>, isNew: Bool) {
    stage.withLock { stage in
      switch stage {
      case .listening(let task): return (task, false)
      case .stopped: return (Task<Started, any Error> { throw InspectorError.ended }, false)
      case .idle:
        // It has no executor preference, because the work of the inspector is not the client's.
        let task = Task<Started, any Error> { [subject, port, permissions, log] in
          let server = InspectorServer(
            subject,
            port: port,
            token: Self.newToken(),
            allowsActions: permissions.contains(.actions),
            log: log
          )
          return (try await server.start(), server)
        }
        stage = .listening(task)
        return (task, true)
      }
    }
  }
}
