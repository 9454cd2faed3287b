// An app that is killed again and again. Each launch prints the data that it finds.
//
// `swift run --package-path Playgrounds KilledApp`. Each launch is a process of its own, which kills
// itself with a signal that no process can handle. Data that the process has not written is gone.
import Foundation
import StreamQuery
import StreamQueryPersistence

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

func note(_ line: String) {
  print(line)
  // The text is printed at once, because a killed process prints nothing more.
  fflush(nil)
}

func die() -> Never {
  note("  killed")
  kill(getpid(), SIGKILL)
  while true { pause() }
}

/// A store that kills the process when it has to wipe a partition.
final class FatalStore: QueryStore {
  let base: FileStore

  init(_ base: FileStore) { self.base = base }

  func load(_ partition: StorePartition) async throws(QueryStoreError) -> StoreContents {
    try await base.load(partition)
  }

  func write(_ batch: StoreBatch, to partition: StorePartition) async throws(QueryStoreError) {
    try await base.write(batch, to: partition)
  }

  func wipe(_ partition: StorePartition) async throws(QueryStoreError) -> StoreGeneration {
    die()
  }
}

extension Query<[String]> {
  static var letters: Self {
    Query("letters") {
      note("  the server is asked")
      return ["from Ada", "from Grace"]
    }
    .staleTime(.minutes(5))
  }
}

/// A server with a log, which has a line with the idempotency key for each request.
struct Server {
  let log: URL

  var requests: [String] {
    ((try? String(contentsOf: log, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
  }

  func receive(_ answer: String, _ context: MutationContext) throws {
    let lines = requests + ["\(context.idempotencyKey) \(answer)"]
    try lines.joined(separator: "\n").write(to: log, atomically: true, encoding: .utf8)
  }
}

/// The launches, each of which is one process; all of them share a directory.
enum Launch: String, CaseIterable {
  case first, second, third, fourth, fifth, sixth

  func run(in directory: URL) async throws {
    let files = FileStore(directory: directory.appending(path: "store"))
    let store: any QueryStore = self == .fourth ? FatalStore(files) : files
    let server = Server(log: directory.appending(path: "server.log"))
    // The outbox keeps a reply until the server has answered. The second launch dies before that.
    let reply = Mutation("reply") { (answer: String, context: MutationContext) in
      try server.receive(answer, context)
      if self == .second { die() }
    }.durable()
    var configuration = QueryClient.Configuration.server
    configuration.persistence = Persistence(in: store)
    configuration.outbox = OutboxConfiguration(in: store, mutations: [reply])
    let accounts = QueryAccounts(in: store, configuration: configuration)
    switch self {
    case .first:
      let account = try await accounts.open("reader")
      note("  read: \(try await account.client.fetch(.letters))")
      try await account.client.save()
      note("  saved")
      account.client.updateData(for: .letters) { $0?.append("not saved") }
      die()
    case .second:
      let account = try await accounts.open("reader")
      try await account.client.restore()
      note("  there: \(account.client.data(for: .letters) ?? [])")
      note("  read: \(try await account.client.fetch(.letters))")
      account.client.updateData(for: .letters) { $0?.append("written here") }
      try await account.client.save()
      note("  saved; a reply is sent")
      try await account.client.mutate(reply, with: "Thank you")
    case .third:
      let account = try await accounts.open("reader")
      try await account.client.restore()
      for await items in account.client.outbox.items where items.isEmpty { break }
      let keys = Set(server.requests.map { $0.prefix(36) })
      note("  the server has the reply \(server.requests.count) times, with \(keys.count) key")
    case .fourth:
      let account = try await accounts.open("reader")
      try await account.client.restore()
      note("  there: \(account.client.data(for: .letters) ?? [])")
      note("  the reader logs out")
      try await account.end()
    case .fifth:
      try await accounts.finishEndings()
      note("  the directory has letters: \(try hasLetters(in: directory))")
      die()
    case .sixth:
      let account = try await accounts.open("reader")
      try await account.client.restore()
      note("  there: \(account.client.data(for: .letters) ?? [])")
      try await account.end()
    }
  }

  private func hasLetters(in directory: URL) throws -> Bool {
    let store = directory.appending(path: "store")
    return try FileManager.default.contentsOfDirectory(atPath: store.path)
      .contains { name in
        let bytes = try Data(contentsOf: store.appending(path: name))
        return bytes.range(of: Data("Grace".utf8)) != nil
      }
  }
}

func runAll() throws {
  let directory = URL.temporaryDirectory.appending(path: "KilledApp-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: directory) }
  for launch in Launch.allCases {
    note("\(launch.rawValue) launch")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = [launch.rawValue, directory.path]
    try process.run()
    process.waitUntilExit()
    let wasKilled = process.terminationReason == .uncaughtSignal
    if !wasKilled, process.terminationStatus != 0 { note("  failed: \(process.terminationStatus)") }
  }
}

if CommandLine.arguments.count == 3, let launch = Launch(rawValue: CommandLine.arguments[1]) {
  try await launch.run(in: URL(fileURLWithPath: CommandLine.arguments[2]))
} else {
  try runAll()
}
