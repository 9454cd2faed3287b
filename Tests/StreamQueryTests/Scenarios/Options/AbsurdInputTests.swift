import Foundation
import StreamQuery
import StreamQueryTesting
import Testing

/// Whatever data says, nothing traps, spins or leaks (contract law 11).
struct AbsurdInputTests {
  let simulation = Simulation(seed: 53)

  static let durations: [Duration] = [
    .zero, .nanoseconds(1), .seconds(-1), .seconds(Int64.max), .seconds(Int64.min),
    // Beyond what `Duration.components` can take apart.
    .seconds(Int64.max) * 10, .seconds(Int64.min) * 10,
  ]

  @Test(arguments: durations) func durationsOfAQueryAreClamped(duration: Duration) {
    let client = QueryClient(simulation: simulation) {
      $0.defaults = QueryDefaults(staleTime: .after(duration), gcTime: duration)
    }
    let fetch = ScriptedFetch<Int>(.failure(Boom()), .value(1), .failure(Boom()), .never)
    let query = Query.scripted("n", fetch)
      .staleTime(duration).gcTime(duration).refetchInterval(duration)
      .retry(.times(2).backoff(.constant(duration))).onAbandonment(.linger(duration))
    let recording = simulation.record(client.stream(query))
    let other = simulation.record(
      client.stream(
        query,
        options: ObserverOptions(
          staleTime: .after(duration),
          gcTime: duration,
          refetchInterval: .every(duration),
          refetchIntervalInBackground: .every(duration),
          linger: duration
        )
      )
    )
    simulation.advance(by: .seconds(1))
    #expect(fetch.callCount >= 1)
    #expect(fetch.callCount < 2_000)
    other.cancel()
    recording.cancel()
    simulation.advance(by: .hours(1))
    client.cancel(.all)
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
    #expect(client.diagnostics().allSatisfy { $0.observerCount == 0 && $0.waiterCount == 0 })
  }

  @Test(arguments: [
    Duration.zero, .seconds(-1), .seconds(Int64.min), .seconds(Int64.max),
    .nanoseconds(1), .seconds(3_155_760_000),
    Duration(secondsComponent: 0, attosecondsComponent: 1),
  ])
  func anyDurationIsTakenEverywhere(duration: Duration) {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(Boom()), .value(1))
    let query = Query.scripted("n", fetch)
      .staleTime(duration).gcTime(duration).retry(1) { _ in duration }
      .refetchInterval(duration).onAbandonment(.linger(duration))
    let options = ObserverOptions(
      staleTime: .after(duration),
      gcTime: duration,
      refetchInterval: .every(duration),
      refetchIntervalInBackground: .every(duration),
      linger: duration
    )
    let one = simulation.record(client.stream(query))
    let two = simulation.record(client.stream(query, options: options))
    simulation.advance(by: .milliseconds(20))
    one.cancel()
    two.cancel()
    simulation.advance(by: .milliseconds(20))
    client.setData(3, for: QueryKey<Int>("n"))
    client.clear()
    simulation.settle()
    expect(simulation.isIdle)
    #expect(fetch.callCount >= 1)
  }

  @Test(arguments: durations) func waitsOfAnyFormulaAreClamped(duration: Duration) {
    let client = QueryClient(simulation: simulation)
    let fetch = ScriptedFetch<Int>(.failure(Boom()), .value(1))
    let policies: [RetryPolicy] = [
      .times(1).backoff(.exponential(first: duration, factor: .infinity, limit: duration)),
      .times(1).backoff(.custom { _, _ in duration }),
    ]
    for (number, policy) in policies.enumerated() {
      let query = Query(key: QueryKey<Int>("n", number), fetch: fetch).retry(policy)
      let recording = simulation.record(client.stream(query))
      simulation.advance(by: .seconds(1))
      expectEqual(
        recording.values.last?.failureCount,
        recording.values.last?.isSuccess == true ? 0 : 1
      )
      recording.cancel()
      simulation.settle()
    }
    expectEqual(simulation.leakReport(), [])
  }

  @Test(
    arguments: [
      -Double.infinity, -1e300, -1e12, 1e12, 1e300, .infinity, .nan, .greatestFiniteMagnitude,
    ]
  )
  func datesOfDataAreClamped(seconds: Double) {
    let client = QueryClient(simulation: simulation)
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    let fetch = ScriptedFetch<Int>(.value(2))
    client.setData(1, for: QueryKey<Int>("n"), updatedAt: date)
    let initialDataPlaced = simulation.record(
      client.stream(
        Query.scripted("m", fetch).initialData(1, updatedAt: date).staleTime(.minutes(1))
      )
    )
    simulation.advance(by: .seconds(1))
    let isOld = seconds < 0
    expectEqual(initialDataPlaced.values.last?.data, isOld ? 2 : 1)
    let age = client.diagnostics("n").first?.age ?? .zero
    #expect(isOld ? age > .hours(1) : age == .seconds(1))
    expectEqual(client.diagnostics().count, 2)
  }

  @Test func aHugeKeyIsAKeyLikeAnyOther() throws {
    let client = QueryClient(simulation: simulation)
    let parts = (0..<20_000).map { AnyQueryKeyPart($0) }
    let text = String(repeating: "x", count: 1_000_000)
    let wide = QueryKey<Int>(AnyKeyParts(parts: parts), text)
    client.setData(1, for: wide)
    expectEqual(client.data(for: wide), 1)
    expectEqual(client.diagnostics(.prefix(AnyQueryKey(AnyKeyParts(parts: parts)))).count, 1)
    expectEmpty(client.diagnostics(.prefix(AnyQueryKey(0, 1, 3))))
    #expect(try wide.canonicalText().utf8.count > 1_000_000)
    client.remove(.key(wide))
    expectEmpty(client.diagnostics())
  }
}

/// Any number of parts.
private struct AnyKeyParts: KeyPartsConvertible {
  var parts: [AnyQueryKeyPart]

  var keyParts: AnyQueryKey { Self.key(parts[...]) }

  /// By halves: a key may be a part of a key.
  private static func key(_ parts: ArraySlice<AnyQueryKeyPart>) -> AnyQueryKey {
    guard parts.count > 1 else { return parts.first.map { AnyQueryKey($0) } ?? AnyQueryKey() }
    let middle = parts.startIndex + parts.count / 2
    return AnyQueryKey(key(parts[..<middle]), key(parts[middle...]))
  }
}
