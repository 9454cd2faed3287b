import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Testing

struct CurrentValueTests {
  let simulation = Simulation(seed: 1)

  @Test func eachConsumerGetsThePresentValueThenEachNewOne() {
    let value = CurrentValue(1)
    let first = simulation.record(value)
    simulation.settle()
    value.value = 2
    simulation.settle()
    let second = simulation.record(value)
    simulation.settle()
    value.value = 3
    simulation.settle()
    expectEqual(first.values, [1, 2, 3])
    expectEqual(second.values, [2, 3])
    expectEqual(value.value, 3)
    value.finish()
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }

  @Test func whatIsReplacedBeforeAnybodyAsksIsLeftOut() {
    let value = CurrentValue(1)
    let recording = simulation.record(value)
    simulation.settle()
    for number in 2...100 { value.value = number }
    simulation.settle()
    expectEqual(recording.values, [1, 100])
    value.finish()
    simulation.settle()
  }

  @Test func theLastValueIsGivenBeforeTheEndAlsoToThoseWhoComeLater() {
    let value = CurrentValue(1)
    let early = simulation.record(value)
    simulation.settle()
    value.value = 2
    value.finish()
    value.value = 3
    let late = simulation.record(value)
    simulation.settle()
    expectEqual(early.values, [1, 2])
    expectEqual(late.values, [2])
    expectEqual(value.value, 2)
    expectEqual(simulation.leakReport(), [])
  }

  @Test func aCancelledConsumerLeavesAtOnceAndTheOthersGoOn() {
    let value = CurrentValue(1)
    let leaving = simulation.record(value)
    let staying = simulation.record(value)
    simulation.settle()
    leaving.cancel()
    simulation.settle()
    value.value = 2
    simulation.settle()
    expectEqual(leaving.values, [1])
    expectEqual(staying.values, [1, 2])
    value.finish()
    simulation.settle()
    expectEqual(simulation.leakReport(), [])
  }

  @Test func anEqualValueIsNews() {
    let value = CurrentValue(1)
    let recording = simulation.record(value)
    simulation.settle()
    value.value = 1
    simulation.settle()
    expectEqual(recording.values, [1, 1])
    value.finish()
    simulation.settle()
  }

  /// A change that comes in while another is made is not overwritten: the other is made again.
  @Test func anUpdateKeepsAChangeThatCameMeanwhile() {
    let value = CurrentValue(0)
    var runs = 0
    value.update { number in
      runs += 1
      if runs == 1 { value.value = 10 }
      number += 1
    }
    expectEqual(value.value, 11)
    expectEqual(runs, 2)
  }

  @Test func anUpdateKeepsAnotherThatCameMeanwhile() {
    let value = CurrentValue([0])
    var runs = 0
    value.update { numbers in
      runs += 1
      if runs == 1 { value.update { $0.append(1) } }
      numbers.append(2)
    }
    expectEqual(value.value, [0, 1, 2])
    expectEqual(runs, 2)
  }

  /// What counts is that it was set, not to what.
  @Test func anUpdateIsMadeAgainAlsoForAnEqualValue() {
    let value = CurrentValue(0)
    var runs = 0
    value.update { number in
      runs += 1
      if runs == 1 { value.value = 0 }
      number += 1
    }
    expectEqual(value.value, 1)
    expectEqual(runs, 2)
  }

  @Test func itDrivesAQueryThatIsSearchedFor() {
    let client = QueryClient(simulation: simulation)
    let text = CurrentValue("a")
    let results = text.debounce(for: .milliseconds(300)).switchToLatest { text in
      client.stream(Query("search", text) { text + "!" })
    }
    let recording = simulation.record(results.values())
    simulation.advance(by: .milliseconds(100))
    text.value = "ab"
    simulation.advance(by: .seconds(1))
    text.value = "abc"
    simulation.advance(by: .seconds(1))
    expectEqual(recording.values, ["ab!", "abc!"])
    recording.cancel()
    text.finish()
    simulation.settle()
    client.shutDown()
  }
}
