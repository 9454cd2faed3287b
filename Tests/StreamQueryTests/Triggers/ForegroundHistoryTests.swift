import Testing

@testable import StreamQuery

struct ForegroundHistoryTests {
  @Test(arguments: [
    // A launch of an app with scenes, a departure, a return.
    ([false, true, false, true], [nil, true, false, true]),
    // One that is launched to work in the background.
    ([false, false, false], [nil, nil, nil]),
    // One without scenes, and a client that is made while the app is in use.
    ([true, false, true], [true, false, true]),
  ])
  func aWayToTheForegroundIsAReturnOnlyAfterADeparture(states: [Bool], expected: [Bool?]) {
    var history = ForegroundHistory()
    expectEqual(states.map { history.reported(isInForeground: $0) }, expected)
  }
}
