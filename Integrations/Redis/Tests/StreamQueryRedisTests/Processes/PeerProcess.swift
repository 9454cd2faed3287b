import Foundation
import RedisServers

/// A process that shares a cache with others.
final class PeerProcess {
  /// What it does.
  struct Plan {
    var requests = 10_000
    var keys = 50
    /// How many requests are between two changes; `0` changes nothing.
    var changes = 0
    /// Whether changes are told by tag, by prefix and by write as well.
    var isMixed = false
    /// Between two requests of a worker, of which there are 50.
    var pause = Duration.zero
    /// How long data is fresh.
    var staleTime = Duration.seconds(600)
    /// Whether the first request waits until the log was read once.
    var waits = true
    /// How long a lease lasts: six times the store's timeout, and less where a leader is lost.
    var lease = Duration.seconds(18)
    /// How the keys begin.
    var prefix = "k"
  }

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let file: URL
  private let number: Int

  /// Starts a process, which waits for `go`.
  ///
  /// - Parameters:
  ///   - plan: What it does.
  ///   - number: Its number.
  ///   - store: The port of the store.
  ///   - upstream: What it fetches from.
  /// - Throws: That it did not come up.
  init(_ plan: Plan, number: Int, store: UInt16, upstream: TestServer) throws {
    self.number = number
    file = upstream.folder.appending(path: "peer-\(number)")
    process.executableURL = Self.program
    process.arguments = [
      "store=\(store)", "upstream=\(upstream.port)", "number=\(number)",
      "requests=\(plan.requests)", "keys=\(plan.keys)", "changes=\(plan.changes)",
      "mixed=\(plan.isMixed ? 1 : 0)", "pause=\(Int(plan.pause / .milliseconds(1)))",
      "stale=\(Int(plan.staleTime / .milliseconds(1)))", "waits=\(plan.waits ? 1 : 0)",
      "lease=\(Int(plan.lease / .milliseconds(1)))",
      "prefix=\(plan.prefix)", "file=\(file.path)",
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var text = ""
    while !text.contains("ready") {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw TestServerError(description: "the peer ended: \(text)") }
      text += String(decoding: data, as: UTF8.self)
    }
  }

  deinit { kill() }

  /// The program is beside that of the tests.
  private static var program: URL {
    var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    while folder.path.count > 1 {
      let program = folder.appending(path: "Peer")
      if FileManager.default.isExecutableFile(atPath: program.path) { return program }
      folder = folder.deletingLastPathComponent()
    }
    return URL(filePath: "Peer")
  }

  /// The id of the process.
  var id: Int32 { process.processIdentifier }

  /// Lets it begin.
  func go() throws { try input.fileHandleForWriting.write(contentsOf: Data("go\n".utf8)) }

  /// Ends it as a power failure would.
  func kill() {
    guard process.isRunning else { return }
    signal(SIGKILL)
    process.waitUntilExit()
  }

  /// Stops it, as a machine that swaps would, until `proceed`.
  func pause() { signal(SIGSTOP) }

  /// Lets it go on.
  func proceed() { signal(SIGCONT) }

  private func signal(_ number: Int32) {
    #if canImport(Darwin)
    _ = Darwin.kill(id, number)
    #else
    _ = Glibc.kill(id, number)
    #endif
  }

  /// Waits until it has done everything.
  func seen() throws -> [PeerEvent] {
    process.waitUntilExit()
    let text = try String(contentsOf: file, encoding: .utf8)
    return text.split(separator: "\n").compactMap { PeerEvent(String($0), by: number) }
  }
}
