import StreamQuery
import StreamQueryOperators
import StreamQueryTesting
import Testing

struct SettledTests {
  @Test func onlyWhatCameToRestIsLetThrough() {
    expectResults("---x---(!)-(y!)|", of: "p(p*)(p=)x(x*)(!*)-(!)-(y!)|") { $0.settled() }
  }

  @Test func aPausedRefreshIsAtRest() {
    expectResults("-(x=)-(!=)|", of: "(x*)(x=)-(!=)|") { $0.settled() }
  }

  @Test func placeholdersAreLeftOut() {
    expectResults("--x|", of: "(s~)-x|") { $0.settled() }
  }

  @Test func endsPassThrough() {
    expectEndsPassThrough { $0.settled() }
  }
}
