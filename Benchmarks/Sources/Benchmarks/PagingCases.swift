import StreamQuery

enum PagingCases {
  static func feed(_ pages: Int) -> InfiniteQuery<Int, Int> {
    InfiniteQuery<Int, Int>("feed", pages, initialPageParam: 0) { page, _ in
      page
    } nextPageParam: {
      $0.lastParam + 1
    }
  }

  static func measure(_ suite: Suite) async {
    for count in [10, 1_000] {
      let client = World.client()
      let query = feed(count)
      let pages = Pages(Array(0..<count), params: Array(0..<count))
      guard let pages else { return }
      let clock = ContinuousClock()
      var best = Double.infinity
      for _ in 0..<4_000 {
        client.setData(pages, for: query)
        let start = clock.now
        blackHole(try? await client.fetchNextPage(of: query))
        best = min(best, nanoseconds(clock.now - start))
      }
      suite.add(
        "page.\(count)",
        "next page after \(count) pages",
        best,
        within: 9,
        limit: "raw.fetch",
        size: count
      )
    }
  }
}
