import StreamQuery

enum ReadingCases {
  static func measure(_ suite: Suite) async {
    for count in [1_000, 10_000, 100_000] {
      let (client, keys) = World.filled(count)
      let order = shuffled(count)
      let prebuilt = order.map { keys[$0] }
      var next = 0
      let read = fastest(iterations: 10_000) { iterations in
        for _ in 0..<iterations {
          blackHole(client.data(for: prebuilt[next]))
          next = next + 1 == count ? 0 : next + 1
        }
      }
      suite.add(
        "read.prebuilt.\(count)",
        "cached read, \(count) entries, key prebuilt",
        read,
        within: count == 10_000 ? 2.5 : nil,
        limit: "raw.lookup.\(count)",
        size: count
      )
      let built = fastest(iterations: 10_000) { iterations in
        for _ in 0..<iterations {
          blackHole(client.data(for: QueryKey<Int>("todos", "list", order[next])))
          next = next + 1 == count ? 0 : next + 1
        }
      }
      suite.add(
        "read.built.\(count)",
        "cached read, \(count) entries, key of 3 parts built at the call",
        built,
        within: count == 10_000 ? 8.8 : nil,
        limit: "raw.lookup.\(count)",
        size: count
      )
    }
    let (client, _) = World.filled(10_000)
    // These queries have fetched, so their entries know the queries' options. The others were written by key.
    let queries = shuffled(1_000).map { World.query(10_000 + $0) }
    for query in queries { _ = try? await client.fetch(query) }
    let strangers = shuffled(10_000).prefix(1_000).map(World.query)
    suite.add(
      "read.result",
      "result(for:) of a query, 10,000 entries",
      fastest(iterations: 10_000) { iterations in
        for index in 0..<iterations { blackHole(client.result(for: queries[index % 1_000])) }
      },
      limit: "raw.lookup.10000"
    )
    suite.add(
      "fetch.fresh",
      "fetch of fresh data, 10,000 entries",
      await fastest(iterations: 5_000) { iterations in
        for index in 0..<iterations { blackHole(try? await client.fetch(queries[index % 1_000])) }
      },
      within: 10,
      limit: "raw.lookup.10000"
    )
    suite.add(
      "fetch.fresh.written",
      "the same where data was written by key, and the query's options are merged each time",
      await fastest(iterations: 5_000) { iterations in
        for index in 0..<iterations { blackHole(try? await client.fetch(strangers[index % 1_000])) }
      },
      limit: "raw.lookup.10000"
    )
    suite.add(
      "write.unobserved",
      "setData, nobody observes",
      fastest(iterations: 5_000) { iterations in
        for index in 0..<iterations { client.setData(index, for: queries[index % 1_000]) }
      },
      limit: "raw.lookup.10000"
    )
  }
}
