internal import Foundation
internal import RedisServers

/// The process of a machine.
final class MachineProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var text = ""

  /// Starts a machine, and waits until it reads the log.
  init(shop: TestServer, store: TestServer) throws {
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = ["\(shop.port)", "\(store.port)"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    _ = try answer()
  }

  deinit { kill() }

  /// Sends the machine a command.
  func tell(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
  }

  /// Waits for the machine's answer.
  func answer() throws -> String {
    while true {
      if let end = text.firstIndex(of: "\n") {
        defer { text.removeSubrange(...end) }
        return String(text[..<end])
      }
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw TestServerError(description: "a machine ended: \(text)") }
      text += String(decoding: data, as: UTF8.self)
    }
  }

  /// Ends the process at once, as a power failure would.
  func kill() {
    guard process.isRunning else { return }
    #if canImport(Darwin)
    _ = Darwin.kill(process.processIdentifier, SIGKILL)
    #else
    _ = Glibc.kill(process.processIdentifier, SIGKILL)
    #endif
    process.waitUntilExit()
  }
}

extension [MachineProcess] {
  /// Sends all machines the same command, at once.
  ///
  /// - Returns: The answers, in the order of the machines.
  @discardableResult
  func ask(_ line: String) throws -> [String] {
    for machine in self { try machine.tell(line) }
    return try map { try $0.answer() }
  }
}
