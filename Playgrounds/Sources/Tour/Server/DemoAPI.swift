import Foundation

/// The data and the answers of the server, as a value without time and chance, so that each run of the
/// tour sees the same answers in the same order.
///
/// | request | answer |
/// |---|---|
/// | `GET /users` | everybody |
/// | `GET /users/ID` | one user, slowly; 404 when there is none |
/// | `PATCH /users/ID` | renames; 422 for an empty name, 409 for somebody else's |
/// | `GET /todos`, `POST /todos` | a list, and one more entry |
/// | `GET /price` | a number that changes with every request |
/// | `GET /flaky` | two times 503, then one success, and over again |
/// | `GET /feed?page=N` | pages 0 to 3 |
/// | `GET /search?text=T` | users whose name contains the text; a short text takes longer |
struct DemoAPI: Sendable {
  /// The parts of a request on which the answers depend.
  struct Request: Sendable {
    var method = "GET"
    var path: String
    var query: [String: String] = [:]
    var body = Data()
  }

  /// An answer, and how long the server takes to give it.
  struct Reply: Sendable {
    var status = 200
    var body: any Encodable & Sendable
    var delay: Duration = .milliseconds(10)
  }

  private(set) var users = [
    User(id: 1, name: "Ada"), User(id: 2, name: "Alan"), User(id: 3, name: "Grace"),
  ]
  private(set) var todos = [Todo(id: 1, title: "Write a query")]

  /// How often each request line arrived, such as `GET /users/1`.
  private(set) var counts: [String: Int] = [:]

  /// Answers a request and counts it.
  mutating func answer(_ request: Request) -> Reply {
    let line = "\(request.method) \(request.path)"
    counts[line, default: 0] += 1
    let count = counts[line, default: 0]
    let parts = request.path.split(separator: "/").map(String.init)
    switch (request.method, parts.first, parts.count) {
    case ("GET", "users", 1): return Reply(body: users, delay: .milliseconds(60))
    case ("GET", "users", 2): return user(parts[1])
    case ("PATCH", "users", 2): return rename(parts[1], request.body)
    case ("GET", "todos", 1): return Reply(body: todos, delay: .milliseconds(40))
    case ("POST", "todos", 1): return add(request.body)
    case ("GET", "price", 1): return Reply(body: Price(revision: count, cents: 999 + count))
    case ("GET", "flaky", 1):
      return count % 3 == 0 ? Reply(body: "steady") : problem(503, "request \(count) fails")
    case ("GET", "feed", 1): return feed(request.query["page"])
    case ("GET", "search", 1): return search(request.query["text"] ?? "")
    default: return problem(404, "no such path: \(line)")
    }
  }

  private func user(_ text: String) -> Reply {
    guard let user = users.first(where: { String($0.id) == text }) else {
      return problem(404, "no user \(text)")
    }
    return Reply(body: user, delay: .milliseconds(120))
  }

  private mutating func rename(_ text: String, _ body: Data) -> Reply {
    guard let index = users.firstIndex(where: { String($0.id) == text }) else {
      return problem(404, "no user \(text)")
    }
    guard let draft = try? JSONDecoder().decode(Draft.self, from: body), !draft.text.isEmpty else {
      return problem(422, "a name is needed")
    }
    guard !users.contains(where: { $0.name == draft.text && $0.id != users[index].id }) else {
      return problem(409, "there is another \(draft.text)")
    }
    users[index].name = draft.text
    return Reply(body: users[index], delay: .milliseconds(80))
  }

  private mutating func add(_ body: Data) -> Reply {
    guard let draft = try? JSONDecoder().decode(Draft.self, from: body), !draft.text.isEmpty else {
      return problem(422, "a title is needed")
    }
    let todo = Todo(id: todos.count + 1, title: draft.text)
    todos.append(todo)
    return Reply(status: 201, body: todo, delay: .milliseconds(80))
  }

  private func feed(_ text: String?) -> Reply {
    let last = 3
    guard let page = Int(text ?? "0"), (0...last).contains(page) else {
      return problem(404, "no page \(text ?? "")")
    }
    let items = (0..<3).map {
      Post(id: page * 3 + $0, author: users[$0].id, text: "Post \(page * 3 + $0)")
    }
    let next = page < last ? page + 1 : nil
    let previous = page > 0 ? page - 1 : nil
    return Reply(
      body: FeedPage(items: items, next: next, previous: previous),
      delay: .milliseconds(30)
    )
  }

  private func search(_ text: String) -> Reply {
    let found = users.filter { $0.name.lowercased().contains(text.lowercased()) }
    // The answer to the first letter comes after the answer to the second: the classic race.
    return Reply(body: found, delay: .milliseconds(max(20, 200 - 80 * text.count)))
  }

  private func problem(_ status: Int, _ reason: String) -> Reply {
    Reply(status: status, body: Problem(reason: reason))
  }
}
