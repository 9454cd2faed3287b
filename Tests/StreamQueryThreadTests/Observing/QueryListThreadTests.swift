import StreamQuery
import Testing

/// On threads: the last list holds, with each of its members, and nobody else is observed.
struct QueryListThreadTests {
  @Test(.timeLimit(.minutes(10))) func listsThatThreadsReplaceEndAtTheLastOne() async {
    let client = QueryClient()
    let observer = client.observer(all: [])
    func query(_ number: Int) -> AnyQuery { AnyQuery(Query("n", number % 5) { number % 5 }) }
    let last = [query(4), query(1), query(4), query(2)]
    let keys = last.map(\.key)
    let stream = observer.stream
    let reading = Task {
      for await results in stream where results.keys == keys && results.isSuccess {
        return results.results(of: Int.self).compactMap(\.data)
      }
      return []
    }
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for round in 0..<100 {
            observer.update((0..<(round % 4)).map { query(worker * round + $0 * (round % 3)) })
          }
        }
      }
    }
    observer.update(last)
    await expectEqual(reading.value, [4, 1, 4, 2])
    expectEqual(client.diagnostics().map(\.observerCount).reduce(0, +), 4)
    withExtendedLifetime(observer) {}
  }
}
