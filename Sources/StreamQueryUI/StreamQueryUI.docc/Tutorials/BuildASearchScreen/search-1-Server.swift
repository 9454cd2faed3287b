import Foundation
import StreamQuery

nonisolated struct User: Codable, Hashable, Identifiable {
  var id: Int
  var name: String
}

nonisolated protocol API: Sendable {
  func search(_ text: String) async throws -> [User]
}

/// Takes the place of a server until you have one.
nonisolated struct DemoServer: API {
  func search(_ text: String) async throws -> [User] {
    try await Scheduling.current.clock
      .sleep(for: .milliseconds(200))
    let everybody = [
      User(id: 1, name: "Ada"),
      User(id: 2, name: "Alan"),
      User(id: 3, name: "Grace"),
    ]
    return everybody.filter {
      $0.name.localizedStandardContains(text)
    }
  }
}
