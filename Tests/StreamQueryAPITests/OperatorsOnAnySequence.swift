import StreamQuery
import StreamQueryOperators
import Testing

/// Every form of call of the operators on any sequence, as a user writes it; nothing here runs.
private struct Calls {
  let text: AsyncStream<String>
  let failing: AsyncThrowingStream<String, any Error>
  let clock: any Clock<Duration>

  func debounced() -> some AsyncSequence<String, Never> & Sendable {
    text.debounce(for: .milliseconds(300), clock: clock)
  }

  func debouncedOnAConcreteClock() -> any AsyncSequence<String, any Error> {
    failing.debounce(for: .seconds(0.3), clock: SuspendingClock())
  }

  func throttled() -> some AsyncSequence<String, Never> {
    text.throttle(for: .seconds(1), clock: clock).throttle(
      for: .seconds(2),
      edges: .leading,
      clock: clock
    )
  }

  func timedOut() -> some AsyncSequence<String, TimeoutError> & Sendable {
    text.timeout(after: .seconds(5))
  }

  func timedOutWithFailures() -> some AsyncSequence<String, any Error> & Sendable {
    failing.timeout(after: .seconds(5), clock: clock)
  }

  func merged() async throws {
    for await element in merge(text, text) { let _: String = element }
    for await element in merge(text, text.map { $0 + "!" }, text) { let _: String = element }
    for try await element in merge(text, failing) { let _: String = element }
    for await element in merge(text, text, text, text.map { $0 + "!" }) { let _: String = element }
    for try await element in merge(text, text, failing, text) { let _: String = element }
    for await element in merge([text, text]) { let _: String = element }
  }

  func combined(
    _ first: any AsyncSequence<Int, Never> & Sendable,
    _ second: some AsyncSequence<Bool, Never> & Sendable
  ) async throws {
    for await (number, flag) in combineLatest(first, second) {
      let _: Int = number
      let _: Bool = flag
    }
    for await count in combineLatest(text, second).map({ text, flag in flag ? text.count : 0 }) {
      let _: Int = count
    }
    for await isLong in combineLatest(text, text).map({ $0.0.count > $0.1.count }) {
      let _: Bool = isLong
    }
    for try await (text, flag) in combineLatest(failing, second) {
      let _: String = text
      let _: Bool = flag
    }
    let six = combineLatest(text, text, text, text, text, second)
    for await (a, _, _, _, _, f) in six {
      let _: String = a
      let _: Bool = f
    }
    for await texts in combineLatest([text, text]) { let _: [String] = texts }
  }

  func switched() async {
    let results =
      text
      .debounce(for: .milliseconds(300), clock: clock)
      .switchToLatest { text in
        let count = text.count
        return AsyncStream<Int> { $0.yield(count) }
      }
    for await count in results { let _: Int = count }
    let branches = text.switchToLatest { text in
      if text.isEmpty { AsyncStream<Int> { $0.finish() } } else { AsyncStream { $0.yield(1) } }
    }
    for await count in branches { let _: Int = count }
  }

  func switchedWithFailures(
    _ typed: some AsyncSequence<Int, TimeoutError> & Sendable,
    _ client: QueryClient
  ) async throws {
    let inner: some AsyncSequence<Int, TimeoutError> & Sendable = text.switchToLatest { _ in typed }
    let outer: some AsyncSequence<String, TimeoutError> & Sendable =
      typed.switchToLatest { _ in text }
    let both: some AsyncSequence<Int, TimeoutError> & Sendable = typed.switchToLatest { _ in typed }
    let mixed: some AsyncSequence<String, any Error> & Sendable =
      typed.switchToLatest { _ in failing }
    let neither: some AsyncSequence<String, Never> & Sendable = text.switchToLatest { _ in text }
    _ = (inner, outer, both, mixed, neither)
    let results = text.switchToLatest { client.stream(.search($0)).throwing(when: .always) }
    for try await result in results { let _: [Repo]? = result.data }
    for try await element in failing.switchToLatest({ _ in failing }) { let _: String = element }
  }

  func ticks() async {
    for await tick in IntervalSequence(every: .seconds(30)) { let _: Int = tick }
    for await _ in IntervalSequence(every: .seconds(1), startingImmediately: true, clock: clock) {}
    for await _ in merge(IntervalSequence(every: .seconds(1)).map { _ in "" }, text) {}
  }

  func scheduled() -> some AsyncSequence<String, Never> & Sendable {
    merge(text, text).scheduled(by: Scheduling(clock: clock))
  }
}
