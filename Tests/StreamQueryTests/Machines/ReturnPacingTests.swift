import Testing

@testable import StreamQuery

struct ReturnPacingTests {
  // The calls change what they are made on, which the macro does not allow.
  private func expect(
    _ holds: Bool,
    _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(holds, comment, sourceLocation: sourceLocation)
  }

  private func at(_ seconds: Double) -> Instant {
    Instant(nanoseconds: Int64(seconds * 1_000_000_000))
  }

  private func entry(_ number: Int32) -> EntryID {
    EntryID(index: number, generation: UInt64(number) + 1)
  }

  @Test func aReturnWithinTheTimeIsOwedOnce() {
    var pacing = ReturnPacing(reconnect: .coalescing(.seconds(1)))
    expect(pacing.counts(.reconnect, at: at(10)))
    expect(pacing.arm() == nil, "nothing is left")
    expect(!pacing.counts(.reconnect, at: at(10.2)))
    expect(!pacing.counts(.reconnect, at: at(10.4)))
    expect(pacing.arm() == at(11))
    expect(pacing.arm() == nil, "that is arranged")
    expect(pacing.takeOwed(at: at(10.9)) == [])
    pacing.woke(at: at(11))
    expect(pacing.takeOwed(at: at(11)) == [.init(cause: .reconnect, since: at(10))])
    expect(pacing.takeOwed(at: at(12)) == [])
    expect(pacing.arm() == nil)
    expect(pacing.counts(.active, at: at(10)), "the other kind counts by itself")
  }

  @Test func aReturnAfterTheTimePaysWhatIsOwed() {
    var pacing = ReturnPacing(activation: .coalescing(.seconds(1)))
    expect(pacing.counts(.active, at: at(10)))
    expect(!pacing.counts(.active, at: at(10.5)))
    expect(pacing.counts(.active, at: at(11.5)))
    expect(pacing.takeOwed(at: at(20)) == [])
  }

  @Test func aTimeWithoutAnEndHasOneReturn() {
    var pacing = ReturnPacing(activation: .coalescing(.seconds(Int64.max)))
    expect(pacing.counts(.active, at: at(1)))
    expect(!pacing.counts(.active, at: at(1_000_000)))
    expect(pacing.arm() == nil)
  }

  @Test func aLossIsDoubtedOnceAndItsEndIsAReturn() {
    var pacing = ReturnPacing(trust: .seconds(60))
    expect(!pacing.reported(isOnline: false, at: at(10)))
    expect(!pacing.reported(isOnline: false, at: at(20)), "equal reports are one")
    expect(pacing.arm() == at(70))
    expect(!pacing.takeDoubt(at: at(69)))
    expect(pacing.takeDoubt(at: at(70)))
    pacing.woke(at: at(70))
    expect(!pacing.takeDoubt(at: at(1_000)))
    expect(pacing.arm() == nil)
    expect(pacing.reported(isOnline: true, at: at(100)))
    expect(!pacing.reported(isOnline: false, at: at(110)))
    expect(!pacing.reported(isOnline: true, at: at(120)), "the client knew of that loss")
  }

  @Test func aNetworkThatIsForcedAwayIsAwayWhateverIsReportedAndDoubted() {
    var pacing = ReturnPacing(trust: .seconds(60))
    expect(pacing.isOnline)
    expect(!pacing.reported(isOnline: false, at: at(10)))
    expect(!pacing.isOnline)
    pacing.forced(isOffline: true)
    expect(pacing.arm() == nil && !pacing.takeDoubt(at: at(70)), "there is nothing to doubt")
    expect(!pacing.isOnline)
    pacing.forced(isOffline: false)
    expect(!pacing.isOnline)
    expect(pacing.arm() == at(70), "the source was not believed for longer than before")
    expect(pacing.takeDoubt(at: at(80)) && pacing.isOnline)
    pacing.forced(isOffline: true)
    expect(!pacing.isOnline)
    pacing.forced(isOffline: false)
    expect(pacing.isOnline, "the report is still in doubt")
  }

  @Test func whatIsSpreadIsDueOneAfterTheOther() {
    var pacing = ReturnPacing(reconnect: .spreading(over: .seconds(10)))
    expect(pacing.isSpreading(.reconnect) && !pacing.isSpreading(.active))
    pacing.spread((0..<10).map(entry), .reconnect, at: at(5), random: 7)
    var seen: [EntryID] = []
    while let next = pacing.arm() {
      expect(next >= at(5 + Double(seen.count)) && next <= at(6 + Double(seen.count)))
      pacing.woke(at: next)
      seen += pacing.takeDue(at: next).map(\.entry)
    }
    expect(Set(seen) == Set((0..<10).map(entry)))
    expect(seen.count == 10)
    // Another return takes the place of what is left of this one.
    pacing.spread([entry(1), entry(2)], .reconnect, at: at(20), random: 1)
    pacing.spread([entry(1)], .reconnect, at: at(21), random: 2)
    expect(pacing.rows.map(\.entry).sorted { $0.index < $1.index } == [entry(1), entry(2)])
  }

  @Test func whatIsSpreadForOneKindOfReturnWaitsOnWhenTheOtherKindComes() {
    var pacing = ReturnPacing(
      reconnect: .spreading(over: .seconds(10)),
      activation: .spreading(over: .seconds(10))
    )
    pacing.spread([entry(1)], .reconnect, at: at(5), random: 1)
    pacing.spread([entry(1)], .active, at: at(6), random: 2)
    expect(Set(pacing.rows.map(\.cause)) == [.reconnect, .active])
    expect(pacing.takeDue(at: at(16)).count == 2)
  }
}
