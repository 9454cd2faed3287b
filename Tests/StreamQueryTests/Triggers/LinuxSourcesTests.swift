#if os(Linux)
import Glibc
import Testing

@testable import StreamQuery

/// N01, N03 on Linux, against the real kernel.
@Suite struct LinuxSourcesTests {
  @Test func serversAreOnlineAndActiveByDefault() {
    #expect(Connectivity.platformDefault.isConstant)
    #expect(Activity.platformDefault.isConstant)
  }

  @Test func connectivityStartsWithWhatTheHostsAddressesSay() async {
    let expected = InterfaceAddress.areOnline(InterfaceAddress.present())
    var states = Connectivity.system.states().makeAsyncIterator()
    #expect(await states.next(isolation: nil) == expected)
  }

  @Test func activityStartsActive() async {
    var states = Activity.system.states().makeAsyncIterator()
    #expect(await states.next(isolation: nil) == true)
  }

  /// Several signals may arrive as one; the way back is heard in any case.
  @Test func continuingAfterAStopIsAReturn() async {
    var states = Activity.system.states().makeAsyncIterator()
    #expect(await states.next(isolation: nil) == true)
    for _ in 0..<3 {
      #expect(kill(getpid(), SIGCONT) == 0)
      #expect(await states.next(isolation: nil) == false)
      #expect(await states.next(isolation: nil) == true)
    }
  }

  @Test func aCancelledListenerOfTheKernelLeaves() async {
    let listening = Task {
      var count = 0
      for await _ in Connectivity.system.states() { count += 1 }
      return count
    }
    listening.cancel()
    // It ends, with no more than the state at the start.
    #expect(await listening.value <= 1)
  }
}
#endif
