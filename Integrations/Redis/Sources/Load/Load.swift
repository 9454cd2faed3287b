internal import Foundation
internal import RedisServers
internal import StreamQueryRedis

/// `swift run -c release Load` measures the cost of a call that this process, the store or upstream answers,
/// and of a call of Redis alone.
///
/// The program starts a server, measures for about 20 seconds or `--seconds`, and prints a table.
@main
enum Load {
  private static let rounds = 3

  static func main() async throws {
    let arguments = CommandLine.arguments
    var seconds = 20.0
    for (name, value) in zip(arguments, arguments.dropFirst()) where name == "--seconds" {
      seconds = Double(value).map { min(max($0, 1), 3_600) } ?? seconds
    }
    guard TestServer.program != nil else {
      print(TestServer.missing)
      exit(1)
    }
    let busy = load
    let server = try TestServer()
    defer { server.kill() }
    let endpoint = RedisEndpoint(.host("127.0.0.1", port: Int(server.port)))
    let version = try await version(of: endpoint)
    // The remaining tenth of the time is for the cases with a crowd.
    let time = Duration.seconds(seconds * 0.9 / Double(LoadPlan.count * (rounds + 1)))
    print(
      """
      \(processor), \(ProcessInfo.processInfo.activeProcessorCount) cores, \
      \(ProcessInfo.processInfo.operatingSystemVersionString); load average before: \(busy). \
      redis-server \(version) on the same host, over loopback. The best of \(rounds) rounds.

      | call | callers | calls a second | p50 | p99 | hits in the store | upstream calls |
      |---|---|---|---|---|---|---|
      """
    )
    try await LoadPlan(endpoint: endpoint).run { load in
      // The first round does not count.
      var best = try await load.measure(round: 0, for: time)
      for round in 1...rounds {
        let result = try await load.measure(round: round, for: time)
        if round == 1 || result.callsPerSecond > best.callsPerSecond { best = result }
      }
      print(best.line(load.name, callers: load.callers))
    }
  }

  // MARK: The machine

  private static func version(of endpoint: RedisEndpoint) async throws -> String {
    let connection = RedisConnection(endpoint)
    let reply = try await connection.send(RedisCommand("INFO", "server"))
    await connection.close()
    return value("redis_version", in: reply.text ?? "") ?? "of an unknown version"
  }

  private static var processor: String {
    let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    return value("model name", in: text ?? "") ?? "an unknown processor"
  }

  private static var load: String {
    let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
    return text?.split(separator: " ").first.map(String.init) ?? "unknown"
  }

  /// The value in the first line that has the form `name: value`.
  private static func value(_ name: String, in text: String) -> String? {
    for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix(name) {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { return parts[1].trimmingCharacters(in: .whitespaces) }
    }
    return nil
  }
}
