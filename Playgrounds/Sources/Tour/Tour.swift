import Foundation

/// Runs every part of the tour against a real server and ends with 0 when all claims held.
///
/// With `--serve`, the program only starts the server and prints its address, for the sample app.
@main
enum Tour {
  static func main() async throws {
    if CommandLine.arguments.contains("--serve") { return try await serve() }
    let timeline = Timeline()
    let checks = Checks(timeline)
    // This limit is no claim about speed: it ends a tour that hangs.
    Task.detached {
      try await Task.sleep(for: .seconds(120))
      print("the tour hangs")
      exit(2)
    }
    do {
      try await serverPart(timeline, checks)
      let stage = try await Stage(timeline, checks)
      try await sharingPart(stage)
      try await retryPart(stage)
      try await reasonsPart(stage)
      try await outagePart(stage)
      await stage.server.stop()
    } catch {
      checks.check("the tour ends without an error: \(error)", false)
    }
    exit(checks.summary())
  }

  /// Serves until the process is ended.
  private static func serve() async throws {
    let server = DemoServer()
    print(try await server.start())
    while true { try await Task.sleep(for: .seconds(3_600)) }
  }
}
