import Foundation
import StreamQuery

/// Lets a test of the page watch and drive the client without the inspector.
///
/// The driver prints the key that the test may use, each event of the client as `saw EVENT`, and written data
/// as `data KEY JSON`. The line `burst` on standard input makes it write faster than a page can be told, and
/// `end` shuts the client down.
struct Driver: Sendable {
  let client: QueryClient

  /// Begins to print, and to read lines in a thread of its own.
  func start() {
    say(#"key ["price"]"#)
    let events = client.events
    Task {
      for await event in events where event.key != "burst" {
        say("saw \(event)")
        if case .written = event.kind { say("data \(event.key) \(json(of: event.key))") }
      }
    }
    Thread.detachNewThread {
      while let line = readLine() { perform(line) }
    }
  }

  private func perform(_ line: String) {
    switch line {
    case "burst":
      for number in 1...100_000 { client.setData(number, for: QueryKey<Int>("burst")) }
    case "end": client.shutDown()
    default: say("there is no command \(line)")
    }
  }

  private func json(of key: AnyQueryKey) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = client.diagnostics(.prefix(key)).first?.data as? any Encodable,
      let json = try? encoder.encode(data)
    else { return "none" }
    return String(decoding: json, as: UTF8.self)
  }
}

/// Prints a line at once, also into a pipe.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
