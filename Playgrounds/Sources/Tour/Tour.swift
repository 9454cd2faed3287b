import Foundation

/// Runs every part of the tour against a real server and ends with 0 when all claims held.
@main
enum Tour {
  static func main() async {
    let timeline = Timeline()
    let checks = Checks(timeline)
    do {
      try await serverPart(timeline, checks)
    } catch {
      checks.check("the tour ends without an error: \(error)", false)
    }
    exit(checks.summary())
  }
}
