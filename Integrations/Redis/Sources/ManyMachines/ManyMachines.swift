internal import Foundation
internal import RedisServers

/// Four machines that share a cache, and the requests that their upstream gets.
///
/// `swift run --package-path Integrations/Redis ManyMachines` starts a Redis server for the cache, and a
/// process for each machine, which also runs this program. Your program needs only code like `Machine.swift`.
@main struct ManyMachines {
  static func main() async throws {
    let ports = CommandLine.arguments.dropFirst().compactMap { UInt16($0) }
    if ports.count == 2 {
      try await Machine(shop: Shop(port: ports[0]), storePort: ports[1]).run()
    } else if TestServer.program == nil {
      print(TestServer.missing)
      exit(1)
    } else {
      try await show()
    }
  }

  private static func show() async throws {
    let (database, store) = (try TestServer(), try TestServer())
    let shop = Shop(port: database.port)
    var machines = try (1...4).map { _ in try MachineProcess(shop: database, store: store) }

    say("Each of four machines fetches ten products a hundred times.")
    try await report(machines.ask("ask 100"), shop)

    say("The first machine has a sale of five, and invalidates their tag.")
    try machines.ask("forgets-news")
    try machines[..<1].map { $0 }.ask("sale")
    try machines[1...].map { $0 }.ask("hears-change")
    for (number, prices) in try machines.ask("prices").enumerated() {
      say("  machine \(number + 1) reads the prices \(prices)")
    }
    try await report(machines.ask("ask 100"), shop)

    say("The second machine fetches a report for all, and is killed.")
    try machines[1].tell("report")
    try await shop.isAskedForReport()
    let others = [machines[0], machines[2], machines[3]]
    for machine in others { try machine.tell("report") }
    machines[1].kill()
    machines = others
    say("  the others got: \(try machines.map { try $0.answer() }.joined(separator: ", "))")
    say("  the shop was asked \(try await shop.takeCalls()) times")

    say("The store ends.")
    store.kill()
    try await report(machines.ask("ask 100"), shop)

    say("The store is back, and empty: no cached data is trusted.")
    try store.start()
    try machines.ask("hears-gap")
    try await report(machines.ask("ask 100"), shop)
  }

  private static func report(_ answers: [String], _ shop: Shop) async throws {
    let requests = answers.compactMap { Int($0) }.reduce(0, +)
    let calls = try await shop.takeCalls()
    say("  \(requests) requests were answered, the shop was asked \(calls) times")
  }

  private static func say(_ line: String) {
    // The line is not printed by `print`, so that a reader of a pipe need not wait for the end.
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}
