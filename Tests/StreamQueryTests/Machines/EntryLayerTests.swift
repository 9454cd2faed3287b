import Testing

@testable import StreamQuery

struct EntryLayerTests {
  // Law 7
  @Test func anOutdatedAnswerDoesNotLandButRestartsTheFetch() {
    for fails in [false, true] {
      var driver = EntryDriver.withData()
      driver.pass(to: 1)
      driver.wait()
      let old = driver.currentID
      let told = driver.machine.outdated(in: driver.environment)
      // It goes on until it answers, or until it is restarted.
      expect(told.started == nil && told.cancelled == nil)
      driver.pass(to: 2)
      let actions = fails ? driver.fail(retryAfter: 5) : driver.succeed()
      expectEqual(actions.cancelled, .restarted(old))
      expectEqual(actions.started, driver.currentID)
      expectNil(actions.ended)
      expect(driver.currentID != old)
      expectEqual(driver.machine.dataUpdatedAt, .seconds(0))
      expectEqual(driver.machine.failureCount, 0)
      // Whoever waited still does, and gets the new answer.
      expectEqual(driver.machine.waiterCount, 1)
      expectEqual(driver.succeed().ended, .succeeded)
      expectEqual(driver.machine.dataUpdatedAt, .seconds(2))
    }
  }

  // Law 7
  @Test func anOutdatedFetchIsRestartedWhenAskedTo() {
    var driver = EntryDriver.withData()
    expectEqual(driver.machine.outdatedRestarted(in: driver.environment), .none)
    driver.wait()
    expectEqual(driver.machine.outdatedRestarted(in: driver.environment), .none)
    _ = driver.machine.outdated(in: driver.environment)
    let actions = driver.machine.outdatedRestarted(in: driver.environment)
    expectEqual(actions.started, driver.currentID)
    expect(actions.cancelled != nil)
    // Once is enough.
    expectEqual(driver.machine.outdatedRestarted(in: driver.environment), .none)
  }

  // Law 7
  @Test func aFetchThatWaitsIsMadeANewOneAndWaitsOn() {
    var driver = EntryDriver.withData()
    driver.wait()
    driver.fail(retryAfter: 5)
    let old = driver.currentID
    let actions = driver.machine.outdated(in: driver.environment)
    expectEqual(actions.cancelled, .restarted(old))
    expect(driver.currentID != old)
    expectEqual(driver.deadline, 5)
    driver.pass(to: 5)
    expectEqual(driver.machine.timeReached(in: driver.environment).started, driver.currentID)
    expectEqual(driver.succeed().ended, .succeeded)
  }

  // X21
  @Test func anAnswerThatIsBegunAnewForgetsTheInvalidationBeforeIt() {
    var driver = EntryDriver.withData()
    driver.wait()
    driver.fail(retryAfter: 5, keepsPart: true)
    driver.pass(to: 1)
    driver.invalidate()
    _ = driver.machine.outdated(in: driver.environment)
    driver.pass(to: 5)
    expectEqual(driver.machine.timeReached(in: driver.environment).started, driver.currentID)
    expectEqual(driver.succeed().ended, .succeeded)
    expect(!driver.machine.isInvalidated)
  }

  // Law 7
  @Test func cancellingAnOutdatedFetchRestoresWhatWasThereBeforeItsFirstStart() {
    var driver = EntryDriver.failed()
    let cause = driver.machine.cause
    driver.request(.invalidated)
    _ = driver.machine.outdated(in: driver.environment)
    _ = driver.machine.outdatedRestarted(in: driver.environment)
    driver.cancel()
    expect(driver.machine.isError)
    expectEqual(driver.machine.cause, cause)
  }

  // Law 7
  @Test func aFetchThatWasGivenUpIsGivenUpAfterItsRestartToo() {
    func restarted(_ abandonment: Abandonment) -> EntryDriver {
      var driver = EntryDriver.withData()
      driver.adopt(abandonment: abandonment)
      driver.observe()
      driver.leave()
      _ = driver.machine.outdated(in: driver.environment)
      _ = driver.machine.outdatedRestarted(in: driver.environment)
      return driver
    }
    var finishing = restarted(.finish)
    expectEqual(finishing.fail(retryAfter: 1).ended, .failed)
    var lingering = restarted(.linger(.seconds(5)))
    expectEqual(lingering.run(to: 5).map(\.actions.ended), [.cancelled])
  }

  // T72
  @Test func anEntryUnderLayersIsKeptAndItsRetentionBeginsAfterThem() {
    var driver = EntryDriver.withData()
    driver.adopt(gcTime: .seconds(10))
    driver.machine.pinned()
    expectNil(driver.deadline)
    driver.pass(to: 400)
    driver.machine.unpinned(in: driver.environment)
    expectEqual(driver.deadline, 700)
  }
}
