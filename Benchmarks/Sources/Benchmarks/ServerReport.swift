import Foundation

/// Measures the cases of servers, compares one lock for all keys with its model, and writes tables.
enum ServerReport {
  nonisolated static func run(_ wanted: [String], rounds: Int, writingTo output: String?) async {
    var text = ""
    func write(_ line: String = "") {
      print(line)
      fflush(nil)
      text += line + "\n"
    }
    let cases = ServerCases(rounds: rounds)
    let scales = wanted.contains("scaling")
    let wanted = wanted.filter { $0 != "scaling" }
    let subjects = await ServerCases.hitSubjects(wanted)
    let inline = subjects.filter { !$0.hops }
    if scales { return await LockScaling(cases: cases).run(inline) { write($0) } }
    for line in header("hits") { write(line) }
    for subject in subjects {
      for row in await cases.hits(subject) { write(line(row)) }
    }
    if wanted.isEmpty {
      write()
      for line in header("10,000 requests at once, of a server that takes 1 ms") { write(line) }
      for row in await cases.crowds() { write(line(row)) }
    }
    write()
    await LockScaling(cases: cases).run(inline) { write($0) }
    guard let output else { return }
    do {
      try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
      try text.write(toFile: output + "/servers.md", atomically: true, encoding: .utf8)
    } catch {
      print("The results could not be written: \(error)")
    }
  }

  private static func header(_ title: String) -> [String] {
    [
      "| \(title) | keys | threads | calls a second | p50 | p99 | allocations of a call |",
      "|---|---|---|---|---|---|---|",
    ]
  }

  private static func line(_ row: ServerCases.Row) -> String {
    let keys =
      switch row.group {
      case "same", "crowd.one": "one"
      default: "10,000"
      }
    let cells = [
      row.name, keys, row.threads.map(String.init) ?? "",
      count(row.perSecond),
      Report.text(row.p50, .nanoseconds), Report.text(row.p99, .nanoseconds),
      String(format: "%.1f", row.allocations),
    ]
    return "| " + cells.joined(separator: " | ") + " |"
  }

  static func count(_ value: Double) -> String {
    value < 1e6
      ? String(format: "%.0f,000", value / 1e3) : String(format: "%.1f million", value / 1e6)
  }
}
