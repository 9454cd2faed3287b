package import Foundation

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#endif

/// A real server of a test, on a loopback port and a socket, in a folder of its own.
///
/// It ends with this object, and also when the process of the test ends in any way.
package final class TestServer {
  /// What a server keeps on disk.
  package enum Memory {
    /// Nothing: it is empty after a restart.
    case none
    /// Every change, before it is answered.
    case everyChange
    /// What `save` wrote.
    case snapshots
  }

  /// Where the server's program is, if it is installed.
  package static let program: String? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return (folders + ["/usr/local/bin", "/opt/homebrew/bin"]).map { "\($0)/redis-server" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// What a skipped test says.
  package static let missing = "redis-server is missing (apt-get install redis-server)"

  /// The port on the loopback interface.
  package private(set) var port: UInt16
  /// The folder with the socket and what the server keeps.
  package let folder: URL
  private let memory: Memory
  private let options: [String]
  private var process: Process?
  private var guardian: Process?
  private var lifeline: FileHandle?

  /// The path of the socket.
  package var socket: String { folder.appending(path: "s").path }

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - memory: What it keeps on disk.
  ///   - options: Other options of its command line.
  /// - Throws: Why it did not come up.
  package init(memory: Memory = .none, options: [String] = []) throws {
    self.memory = memory
    self.options = options
    // The path of a socket is short.
    folder = URL(filePath: "/tmp/sq-\(UInt32.random(in: .min ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    port = 0
    var attempts = 5
    while true {
      port = try Loopback.freePort()
      do {
        try start()
        return
      } catch {
        // Somebody else took the port meanwhile.
        attempts -= 1
        if attempts == 0 { throw error }
      }
    }
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Starts the server again, on the same port, with what it kept.
  ///
  /// It returns when the server takes connections.
  ///
  /// - Throws: Why it did not come up.
  package func start() throws {
    let process = Process()
    process.executableURL = URL(filePath: Self.program ?? "redis-server")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    self.process = process
    try watch(process.processIdentifier)
    var text = ""
    while !text.contains("eady to accept connections") {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else {
        kill()
        throw TestServerError(description: "the server ended: \(text.suffix(2_000))")
      }
      text += String(decoding: data, as: UTF8.self)
    }
    // What it says later must not fill the pipe.
    output.fileHandleForReading.readabilityHandler = { handle in
      if handle.availableData.isEmpty { handle.readabilityHandler = nil }
    }
  }

  private var arguments: [String] {
    var result = ["--port", "\(port)", "--bind", "127.0.0.1", "--unixsocket", socket]
    result += ["--dir", folder.path, "--daemonize", "no", "--save", ""]
    result += ["--repl-diskless-sync-delay", "0"]
    if case .everyChange = memory { result += ["--appendonly", "yes", "--appendfsync", "always"] }
    return result + options
  }

  /// Ends the server if this process ends without saying so.
  private func watch(_ id: Int32) throws {
    let guardian = Process()
    guardian.executableURL = URL(filePath: "/bin/sh")
    guardian.arguments = ["-c", "read -r word || { kill -9 \(id); rm -rf '\(folder.path)'; }"]
    let input = Pipe()
    guardian.standardInput = input
    try guardian.run()
    self.guardian = guardian
    lifeline = input.fileHandleForWriting
  }

  /// Ends the server as a power failure would, and waits until it is gone.
  package func kill() {
    guard let process else { return }
    signal(SIGKILL)
    process.waitUntilExit()
    self.process = nil
    try? lifeline?.write(contentsOf: Data("done\n".utf8))
    try? lifeline?.close()
    guardian?.waitUntilExit()
    guardian = nil
  }

  /// Stops the server's process, as a machine that swaps would, until `proceed`.
  package func pause() { signal(SIGSTOP) }

  /// Lets the server go on.
  package func proceed() { signal(SIGCONT) }

  private func signal(_ number: Int32) {
    guard let process else { return }
    #if canImport(Darwin)
    _ = Darwin.kill(process.processIdentifier, number)
    #else
    _ = Glibc.kill(process.processIdentifier, number)
    #endif
  }
}
