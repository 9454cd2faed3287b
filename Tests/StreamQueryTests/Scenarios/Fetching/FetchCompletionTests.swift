import StreamQuery
import StreamQueryTesting
import Testing

/// `Query.callback`: fetches that end when a completion is called.
struct FetchCompletionTests {
  let simulation = Simulation(seed: 53)

  // Q02
  @Test func aCompletionEndsTheFetchWithItsValueOrError() throws {
    let client = QueryClient(simulation: simulation)
    let value = try simulation.run {
      try await client.fetch(Query<Int>.callback("v") { completion in completion(.success(3)) })
    }
    expectEqual(value, 3)
    #expect(throws: Boom(2)) {
      try simulation.run {
        try await client.fetch(
          Query<Int>.callback("e") { completion in completion(Result<Int, Boom>.failure(Boom(2))) }
        )
      }
    }
    #expect(throws: Boom(3)) {
      try simulation.run {
        try await client.fetch(Query<Int>.callback("both") { $0(1, Boom(3)) })
      }
    }
    #expect(throws: QueryError.completionWithoutResult(key: "[\"neither\"]")) {
      try simulation.run {
        try await client.fetch(Query<Int>.callback("neither") { $0(nil, nil) })
      }
    }
  }

  // Q02
  @Test func aSecondCompletionIsReportedAndChangesNothing() throws {
    let misuse = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuse.add($0) } }
    let kept = Dial<FetchCompletion<Int>?>(nil)
    let query = Query<Int>.callback("n") { completion in
      completion(.success(1))
      completion(.success(2))
      kept.value = completion
    }
    let value = try simulation.run { try await client.fetch(query) }
    kept.value?(.failure(Boom()) as Result<Int, any Error>)
    expectEqual(value, 1)
    expectEqual(client.data(for: query), 1)
    expectEqual(
      misuse.all,
      [
        .completionCalledTwice(key: "[\"n\"]"), .completionCalledTwice(key: "[\"n\"]"),
      ]
    )
  }

  // Q02
  @Test func aCompletionThatIsDroppedWithoutACallIsATypedError() {
    let client = QueryClient(simulation: simulation)
    #expect(throws: QueryError.completionNeverCalled(key: "[\"n\"]")) {
      try simulation.run { try await client.fetch(Query<Int>.callback("n") { _ in }) }
    }
    // And when the work lets go of it later.
    let kept = Dial<FetchCompletion<Int>?>(nil)
    let outcome = Notes<String>()
    simulation.task {
      do { try await client.fetch(Query<Int>.callback("later") { kept.value = $0 }) } catch {
        outcome.add("\(error is QueryError)")
      }
    }
    simulation.settle()
    expectEqual(outcome.all, [])
    kept.value = nil
    simulation.settle()
    expectEqual(outcome.all, ["true"])
  }

  // Q02 F07
  @Test func cancellingACompletionStyleFetchEndsTheWaitAtOnceAndALateCallIsNoMisuse() {
    let misuse = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuse.add($0) } }
    let kept = Dial<FetchCompletion<Int>?>(nil)
    let query = Query<Int>.callback("n") { kept.value = $0 }
    let recording = simulation.record(client.stream(query))
    simulation.settle()
    recording.cancel()
    simulation.settle()
    expect(simulation.isIdle)
    kept.value?(.success(1))
    kept.value = nil
    simulation.settle()
    expectEqual(misuse.all, [])
    expectNil(client.data(for: query))
  }

  @Test func aCompletionThatIsKeptKeepsNoClientAlive() throws {
    let kept = Dial<FetchCompletion<Int>?>(nil)
    let query = Query<Int>.callback("n") { completion in
      completion(.success(1))
      kept.value = completion
    }
    let misuses = Notes<QueryMisuse>()
    weak var gone: QueryClient?
    do {
      let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuses.add($0) } }
      gone = client
      _ = try simulation.run { try await client.fetch(query) }
    }
    simulation.settle()
    expectNil(gone)
    kept.value?(2, nil)
    expectEqual(misuses.all, [.completionCalledTwice(key: "[\"n\"]")])
  }

  @Test func aCompletionThatComesAfterACancellationIsNoMisuse() {
    let misuses = Notes<QueryMisuse>()
    let client = QueryClient(simulation: simulation) { $0.onMisuse = { misuses.add($0) } }
    let completions = Notes<FetchCompletion<Int>>()
    let query = Query<Int>.callback("n") { completions.add($0) }
    do {
      let stream = client.stream(query)
      _ = stream
    }
    simulation.settle()
    for completion in completions.all { completion(1, nil) }
    expectEqual(misuses.all, [])
    for completion in completions.all { completion(1, nil) }
    expectEqual(misuses.count, completions.count)
  }
}
