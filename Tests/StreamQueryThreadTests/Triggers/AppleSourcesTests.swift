#if canImport(AppKit) && !canImport(UIKit)
import AppKit
import Dispatch
import Foundation
import Network
import Testing

@testable import StreamQuery

/// N01, N03, F09 on macOS, against the real notification centre and path monitor; one at a time,
/// since a notification reaches every listener.
///
/// What the states lead to is decided elsewhere, and tested on every system.
@Suite(.serialized, .timeLimit(.minutes(10))) struct AppleSourcesTests {
  @MainActor
  private func post(_ name: Notification.Name) {
    // Where the app posts them: on the main thread, where observers are then called at once.
    NotificationCenter.default.post(name: name, object: nil)
  }

  @Test func appsUseTheSystemsSourcesByDefault() {
    expect(!Connectivity.platformDefault.isConstant)
    expect(!AppActivity.platformDefault.isConstant)
  }

  @Test func activityStartsActive() async {
    var states = AppActivity.system.states().makeAsyncIterator()
    await expectEqual(states.next(isolation: nil), true)
  }

  /// The first state is said when notifications can be heard, so none of these is lost.
  ///
  /// Many rounds, since each starts the source anew while the one before is being taken down.
  @Test func hidingAndShowingTheAppIsAReturn() async {
    for _ in 0..<50 {
      var states = AppActivity.system.states().makeAsyncIterator()
      await expectEqual(states.next(isolation: nil), true)
      await post(NSApplication.didHideNotification)
      await post(NSApplication.didUnhideNotification)
      await expectEqual(states.next(isolation: nil), false)
      await expectEqual(states.next(isolation: nil), true)
    }
  }

  /// A process of tests has no application object: nothing says that its windows are covered.
  @Test func anotherAppInFrontIsNoAbsence() async {
    var states = AppActivity.system.states().makeAsyncIterator()
    await expectEqual(states.next(isolation: nil), true)
    await post(NSApplication.didResignActiveNotification)
    await post(NSApplication.didChangeOcclusionStateNotification)
    await post(NSApplication.didBecomeActiveNotification)
    await post(NSApplication.didHideNotification)
    // The first change that it hears of is the last one.
    await expectEqual(states.next(isolation: nil), false)
  }

  @Test func listenersOfTheProcessHearTheSame() async {
    var one = AppActivity.system.states().makeAsyncIterator()
    var other = AppActivity.system.states().makeAsyncIterator()
    await expectEqual(one.next(isolation: nil), true)
    await expectEqual(other.next(isolation: nil), true)
    await post(NSApplication.didHideNotification)
    await expectEqual(one.next(isolation: nil), false)
    await expectEqual(other.next(isolation: nil), false)
    await post(NSApplication.didUnhideNotification)
    await expectEqual(one.next(isolation: nil), true)
    await expectEqual(other.next(isolation: nil), true)
  }

  /// Started anew each time, and as the monitor of the test says.
  @Test func connectivityStartsWithThePresentPath() async {
    for _ in 0..<5 {
      let expected = await presentPathIsUsable()
      var states = Connectivity.system.states().makeAsyncIterator()
      await expectEqual(states.next(isolation: nil), expected)
    }
  }

  private func presentPathIsUsable() async -> Bool {
    let monitor = NWPathMonitor()
    defer { monitor.cancel() }
    let (paths, listener) = AsyncStream<Bool>.makeStream()
    monitor.pathUpdateHandler = { listener.yield($0.status != .unsatisfied) }
    monitor.start(queue: DispatchQueue(label: "AppleSourcesTests"))
    for await isUsable in paths { return isUsable }
    return false
  }

  @Test func cancelledListenersLeave() async {
    let listening = Task {
      var count = 0
      for await _ in AppActivity.system.states() { count += 1 }
      for await _ in Connectivity.system.states() { count += 1 }
      return count
    }
    listening.cancel()
    // It ends, with no more than the states at the start.
    #expect(await listening.value <= 2)
  }
}
#endif
