import StreamQuery
import StreamQueryPersistence

/// Measures the cost of making a server's queries at each call, and of opening the account of each request.
enum ServedQueryCases {
  static func measure(_ suite: Suite) async {
    let client = QueryClient(configuration: .server)
    let kept = made(7)
    _ = try? await client.fetch(kept)
    suite.add(
      "served.fetch",
      "fetch of fresh data from a server's client, query kept",
      await fastest(iterations: 5_000) { iterations in
        for _ in 0..<iterations { blackHole(try? await client.fetch(kept)) }
      }
    )
    suite.add(
      "served.make",
      "a query of two parts with seven modifiers",
      fastest(iterations: 5_000) { iterations in
        for _ in 0..<iterations { blackHole(made(7)) }
      }
    )
    suite.add(
      "served.fetch.made",
      "fetch of fresh data from a server's client, such a query made at each call",
      await fastest(iterations: 5_000) { iterations in
        for _ in 0..<iterations { blackHole(try? await client.fetch(made(7))) }
      },
      target: 1_200
    )
    suite.add(
      "served.fetch.plain",
      "the same where the options are defaults of the client, and the query has a key and a fetch",
      await plain()
    )
    let accounts = QueryAccounts(configuration: .server)
    _ = try? await accounts.open("tenant")
    suite.add(
      "served.open",
      "opening an account that is open",
      await fastest(iterations: 5_000) { iterations in
        for _ in 0..<iterations { blackHole(try? await accounts.open("tenant")) }
      },
      target: 300
    )
    client.shutDown()
  }

  private static func plain() async -> Double {
    var configuration = QueryClient.Configuration.server
    configuration.defaults = QueryDefaults(staleTime: .seconds(86_400), gcTime: .seconds(1_800))
    let client = QueryClient(configuration: configuration)
    defer { client.shutDown() }
    _ = try? await client.fetch(Query("user", 7) { 7 })
    return await fastest(iterations: 5_000) { iterations in
      for _ in 0..<iterations { blackHole(try? await client.fetch(Query("user", 7) { 7 })) }
    }
  }

  /// A query of two parts with seven modifiers.
  @inline(never)
  static func made(_ id: Int) -> Query<Int> {
    Query("user", id) { id }
      .staleTime(.seconds(86_400))
      .gcTime(.seconds(1_800))
      .retry(2)
      .timeout(.seconds(2))
      .staleIfError(.seconds(300))
      .softTimeout(.milliseconds(100))
      .networkMode(.always)
  }
}
