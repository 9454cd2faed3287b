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
/// The page shows the client's record. The inspector listens on the loopback address only, and tells nothing
/// without the token in the link. Unless you allow more, it is off in release builds and shows no values.
///
/// An inspector does not retain its client. It stops when the client is shut down or freed, or when you call
/// ``stop()``. You need not retain the inspector.
public final class Inspector: Sendable {
  /// The builds of an app in which an inspector works.
  public enum Builds: Hashable, Sendable {
    /// Debug builds of this package. With a debug build of an app, Xcode makes debug builds of its packages.
    case debugBuilds
    /// All builds. Everybody with access to the machine can then look into the app.
    case allBuilds
  }

  /// The powers of somebody who has the link.
  public struct Permissions: OptionSet, Hashable, Sendable {
    /// The bits of the set.
    public let rawValue: Int

    /// Creates a set from its bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Lets the page invalidate, refetch, remove and edit data, simulate a lost network, and delay attempts.
    public static let actions = Permissions(rawValue: 1)
    /// Lets the page show the data of queries.
    ///
    /// The configuration's `record` must keep values too, as `.last(1_000, values: .encodable)` does.
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

  /// Creates an inspector, which does nothing before ``start()``.
  ///
  /// - Parameters:
  ///   - client: The client to show; the inspector does not retain it.
  ///   - builds: The builds in which the inspector works.
  ///   - permissions: The powers of somebody who has the link; by default, actions but no values.
  ///   - port: The port to listen on; `nil` is a free one.
  ///   - name: The name of the client on the page; `nil` is that of the process.
  ///   - log: Gets the link, or the reason why there is none. Also gets a text when the socket is lost, and
  ///     when conditions end because no page is open or answers. By default, prints the texts.
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
      allows: permissions,
      log: log
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

  /// Returns a new token: 128 random bits as hexadecimal digits.
  private static func newToken() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(generator.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Starts to listen, and logs the link or the reason why there is none.
  ///
  /// A second call does nothing, nor does a call in a build in which the inspector is off. The system may
  /// take the socket away, as iOS does in the background. The inspector logs this loss, and listens again at
  /// the same link. If it cannot listen for about 20 seconds, it logs ``InspectorError/lost(port:reason:)``.
  ///
  /// - Returns: The inspector.
  @discardableResult
  public func start() -> Self {
    guard isOn else { return self }
    let (task, isNew) = listening()
    guard isNew else { return self }
    let log = log
    // This task has no executor preference, because the inspector's work must not run on the client's
    // executor.
    Task {
      do {
        log("inspector at \(try await task.value.link.absoluteString)")
      } catch {
        log("no inspector: \(error)")
      }
    }
    return self
  }

  /// The link to the page, as soon as the inspector listens; reading the link also starts the inspector.
  ///
  /// `nil` in a build in which the inspector is off.
  ///
  /// - Throws: An ``InspectorError`` if the inspector cannot listen, or has stopped.
  public var link: URL? {
    get async throws {
      guard isOn else { return nil }
      return try await listening().task.value.server.link
    }
  }

  /// Stops listening, closes all connections, and ends all simulated conditions, such as delays.
  ///
  /// Open pages then say that the app is not reachable. The inspector cannot be started again. While a page
  /// of another inspector of the client is open, the conditions stay.
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
        // This task has no executor preference, because the inspector's work must not run on the client's
        // executor.
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
