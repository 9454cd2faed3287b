import Testing

@testable import StreamQueryPersistence

struct ProtectionTests {
  /// It has no content, so only whether it opens matters.
  @Test func theLockOpensWheneverNewFilesMayBeMade() {
    typealias Protection = FileStore.Protection
    #expect(Protection.complete.ofLock == .untilFirstUnlock)
    #expect(Protection.completeUnlessOpen.ofLock == .untilFirstUnlock)
    #expect(Protection.untilFirstUnlock.ofLock == .untilFirstUnlock)
    #expect(Protection.none.ofLock == Protection.none)
    #expect(Protection.inherited.ofLock == .inherited)
  }
}
