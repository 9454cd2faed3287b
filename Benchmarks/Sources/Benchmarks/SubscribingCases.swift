import StreamQuery

enum SubscribingCases {
  static func measure(_ suite: Suite) async {
    for others in [0, 1_000, 10_000] {
      let (client, _) = World.filled(1_000)
      let query = World.query(7)
      _ = try? await client.fetch(query)
      // These iterators are never used, but they count as observers.
      let crowd = (0..<others).map { _ in client.results(of: query).makeAsyncIterator() }
      suite.add(
        "subscribe.stream.\(others)",
        "stream: subscribe, first element, drop; \(others) other observers",
        await fastest(iterations: 1_000) { iterations in
          for _ in 0..<iterations {
            var iterator = client.stream(query).makeAsyncIterator()
            blackHole(await iterator.next(isolation: nil))
          }
        },
        within: 2.5,
        limit: "raw.unfolding",
        size: others
      )
      suite.add(
        "subscribe.results.\(others)",
        "results: subscribe, first element, drop; \(others) other observers",
        await fastest(iterations: 1_000) { iterations in
          for _ in 0..<iterations {
            var iterator = client.results(of: query).makeAsyncIterator()
            blackHole(await iterator.next(isolation: nil))
          }
        },
        within: 3.5,
        limit: "raw.subscribe",
        size: others
      )
      withExtendedLifetime(crowd) {}
    }
  }
}
