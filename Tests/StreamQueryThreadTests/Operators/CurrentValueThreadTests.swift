import StreamQueryOperators
import Testing

/// On threads: no update is lost, and listeners see values grow.
struct CurrentValueThreadTests {
  @Test func updatesOfManyThreadsAreAllThere() async {
    let value = CurrentValue(0)
    let listener = Task { () -> Int in
      var last = -1
      for await number in value {
        #expect(number > last)
        last = number
      }
      return last
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<500 { value.update { $0 += 1 } }
        }
      }
    }
    value.finish()
    expectEqual(value.value, 4_000)
    await expectEqual(listener.value, 4_000)
  }
}
