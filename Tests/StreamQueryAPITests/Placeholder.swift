import StreamQuery
import Testing

@Test func schedulingDefaultsToTheGlobalExecutor() {
  #expect(Scheduling.current.executor == nil)
}
