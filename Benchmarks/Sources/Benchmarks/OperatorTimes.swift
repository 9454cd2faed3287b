import StreamQuery
import StreamQueryOperators

/// Measures the time that an operator adds to an element, compared with the same sequence without it.
enum OperatorTimes {
  static func measure(_ suite: Suite) async {
    let client = World.client()
    let query = World.query(1)
    client.setData(0, for: query)
    let results = await each(client, query, client.results(of: query))
    let stream = await each(client, query, client.stream(query))
    let selected = await each(client, query, client.results(of: query).select { $0 })
    let distinct = await each(client, query, client.results(of: query).removeDuplicates())
    let selectedStream = await each(client, query, client.stream(query).select { $0 })
    suite.add(
      "operator.bare.results",
      "an element of results, written and taken",
      results,
      limit: "raw.next"
    )
    suite.add("operator.with.select", "the same through select", selected, limit: "raw.next")
    suite.add(
      "operator.with.distinct",
      "the same through removeDuplicates",
      distinct,
      limit: "raw.next"
    )
    suite.add(
      "operator.bare.stream",
      "an element of a stream, written and taken",
      stream,
      limit: "raw.share.same"
    )
    suite.add(
      "operator.with.stream",
      "the same through select",
      selectedStream,
      limit: "raw.share.same"
    )
    add(suite, "operator.select.results", "select on results, on top", "select", "results")
    add(
      suite,
      "operator.distinct.results",
      "removeDuplicates on results, on top",
      "distinct",
      "results"
    )
    add(suite, "operator.select.stream", "select on a stream, on top", "stream", "stream")
  }

  private static func add(
    _ suite: Suite,
    _ id: String,
    _ title: String,
    _ with: String,
    _ bare: String
  ) {
    suite.addDifference(
      id,
      title,
      of: "operator.with." + with,
      over: "operator.bare." + bare,
      within: 1.2,
      limit: "raw.next"
    )
  }

  private static func each<Base: AsyncSequence>(
    _ client: QueryClient,
    _ query: Query<Int>,
    _ base: Base
  ) async -> Double {
    var iterator = base.makeAsyncIterator()
    var value = 0
    return await fastest(iterations: 2_000) { iterations in
      for _ in 0..<iterations {
        value += 1
        client.setData(value, for: query)
        blackHole(try? await iterator.next(isolation: nil))
      }
    }
  }
}
