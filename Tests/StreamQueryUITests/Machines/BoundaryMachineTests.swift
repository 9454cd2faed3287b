import Testing

@testable import StreamQueryUI

struct BoundaryMachineTests {
  private struct Broken: Error, Equatable { var name: String }
  private final class Reporter {}

  private func shown(_ machine: BoundaryMachine<String, Int>) -> [String] {
    machine.caught.map { "\($0.source) \(($0.error as? Broken)?.name ?? "?") \($0.retry)" }
  }

  @Test func eachSourceHasOneErrorInTheOrderOfTheFirstFailures() {
    var machine = BoundaryMachine<String, Int>()
    machine.reported(Broken(name: "1"), by: "a", retry: 1)
    machine.reported(Broken(name: "2"), by: "b", retry: 2)
    machine.reported(Broken(name: "3"), by: "a", retry: 3)
    expectEqual(shown(machine), ["a 3 3", "b 2 2"])
  }

  @Test func whatRecoversIsGone() {
    var machine = BoundaryMachine<String, Int>()
    machine.reported(Broken(name: "1"), by: "a", retry: 1)
    machine.reported(Broken(name: "2"), by: "b", retry: 2)
    let wereThere = [machine.recovered("a"), machine.recovered("a")]
    expectEqual(wereThere, [true, false])
    expectEqual(shown(machine), ["b 2 2"])
    machine.reported(Broken(name: "3"), by: "a", retry: 3)
    expectEqual(shown(machine), ["b 2 2", "a 3 3"])
  }

  @Test func aResetTriesAllAgainOnce() {
    var machine = BoundaryMachine<String, Int>()
    machine.reported(Broken(name: "1"), by: "a", retry: 1)
    machine.reported(Broken(name: "2"), by: "b", retry: 2)
    let retries = [machine.triesAgain().map(\.retry), machine.triesAgain().map(\.retry)]
    expect(retries == [[1, 2], []] && machine.caught.isEmpty)
  }

  @Test func afterATryItsReportersAreAskedOnceUnlessTheSourceHasFailedAgain() {
    var machine = BoundaryMachine<String, Int>()
    let object = Reporter()
    for name in ["a", "b"] {
      machine.reported(Broken(name: name), by: name, from: object, retry: 0)
    }
    _ = machine.triesAgain()
    machine.reported(Broken(name: "b"), by: "b", from: object, retry: 0)
    let asked = ["a", "a", "b", "c"].map { machine.triedAgain($0).count }
    expect(asked == [1, 0, 0, 0] && shown(machine) == ["b b 0"])
    withExtendedLifetime(object) {}
  }

  @Test func sourcesAreForgottenByWhatTheyAre() {
    var machine = BoundaryMachine<String, Int>()
    for name in ["a", "b", "ab"] { machine.reported(Broken(name: name), by: name, retry: 0) }
    machine.removeErrors { $0.hasPrefix("a") }
    expectEqual(shown(machine), ["b b 0"])
  }

  @Test func anErrorGoesWithTheLastOfItsReportersAndStaysWithoutAny() {
    var machine = BoundaryMachine<String, Int>()
    let objects = [Reporter(), Reporter()]
    for object in objects + objects {
      machine.reported(Broken(name: "1"), by: "a", from: object, retry: 1)
    }
    machine.reported(Broken(name: "2"), by: "b", retry: 2)
    let haveGone = [
      machine.left("a", by: objects[0]), machine.left("a", by: objects[0]),
      machine.left("b", by: objects[0]), machine.left("c", by: objects[0]),
    ]
    expect(haveGone == [false, false, false, false] && shown(machine) == ["a 1 1", "b 2 2"])
    let isLast = machine.left("a", by: objects[1])
    expect(isLast && shown(machine) == ["b 2 2"])
    withExtendedLifetime(objects) {}
  }

  @Test func reportersThatAreReleasedCountForNothing() {
    var machine = BoundaryMachine<String, Int>()
    var objects = (0..<5).map { _ in Reporter() }
    for object in objects {
      machine.reported(Broken(name: "1"), by: "a", from: object, retry: 1)
    }
    let leaver = objects[1]
    objects = [objects[3]]
    let haveGone = [machine.left("a", by: Reporter()), machine.left("a", by: leaver)]
    expect(haveGone == [false, false] && shown(machine) == ["a 1 1"])
    let isLast = machine.left("a", by: objects[0])
    expect(isLast && machine.caught.isEmpty)
    withExtendedLifetime((objects, leaver)) {}
  }
}
