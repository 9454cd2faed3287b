#if os(Linux)
import Glibc
import Testing

@testable import StreamQuery

/// N01, N03 on Linux, against the real kernel; one at a time, since a signal reaches every listener.
///
/// That links and addresses are followed was checked by hand in a network namespace of its own
/// (`unshare -rn`), which a test cannot enter once its process has threads. A program that prints
/// `Connectivity.system.states()` said: "offline" at the start; "online" once both ends of a veth
/// pair were up and one had 10.9.0.1; "offline" and "online" with the peer going down and up;
/// "offline" when only fe80:: was left, also with 169.254.3.4 beside it; "online" with 2001:db8::1;
/// nothing through 300 new loopback addresses, without spinning.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LinuxSourcesTests {
  @Test func serversAreOnlineAndActiveByDefault() {
    expect(Connectivity.platformDefault.isConstant)
    expect(AppActivity.platformDefault.isConstant)
  }

  @Test func connectivityStartsWithWhatTheHostsAddressesSay() async {
    let expected = InterfaceAddress.areOnline(InterfaceAddress.present())
    var states = Connectivity.system.states().makeAsyncIterator()
    await expectEqual(states.next(isolation: nil), expected)
  }

  @Test func activityStartsActive() async {
    var states = AppActivity.system.states().makeAsyncIterator()
    await expectEqual(states.next(isolation: nil), true)
  }

  /// The first state is said when the signal can be heard, so none of these is lost.
  ///
  /// Many rounds, since each starts the source anew while the one before is being taken down.
  @Test func continuingAfterAStopIsAReturn() async {
    for _ in 0..<50 {
      var states = AppActivity.system.states().makeAsyncIterator()
      await expectEqual(states.next(isolation: nil), true)
      expectEqual(kill(getpid(), SIGCONT), 0)
      await expectEqual(states.next(isolation: nil), false)
      await expectEqual(states.next(isolation: nil), true)
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
