import Dispatch
import Foundation
import StreamQuery
import Testing

/// A thread with a small stack asks for runs by long filters while runs go on.
struct MutationLifeThreadTests {
  /// Filters are made of data, too: by `reduce` from either side, of as many keys as there are.
  @Test func aFilterOfManyThousandPartsIsAFilterOnASmallStackToo() {
    let client = QueryClient()
    for number in 4...5 {
      client.observer(of: Mutation(key: AnyQueryKey("m", number)) { (input: Int) in input })
        .start(with: number)
    }
    let counts = Dial<[Int]>([])
    let isDone = DispatchSemaphore(value: 0)
    let thread = Thread {
      let leaves = (0..<12_000).map { MutationFilter.key(AnyQueryKey("m", $0 + 5)) }
      let any = leaves.reduce("n") { $0 || $1 }
      let anyFromRight = leaves.reversed().reduce("n") { $1 || $0 }
      let none = leaves.reduce("m") { $0 && !$1 }
      let filters = [any, anyFromRight, none, !any, any && none, any && .where { _ in true }]
      counts.value = filters.map { client.mutations($0).count }
      isDone.signal()
    }
    // What threads get that nobody asked for more.
    thread.stackSize = 512 * 1_024
    thread.start()
    isDone.wait()
    expectEqual(counts.value, [1, 1, 1, 1, 0, 1])
  }
}
