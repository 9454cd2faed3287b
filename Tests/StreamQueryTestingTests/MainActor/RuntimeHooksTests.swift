import Testing

@testable import StreamQueryTesting

@MainActor @Suite struct RuntimeHooksTests {
  @Test func aRuntimeWithoutAHookIsNamed() {
    let problem = RuntimeHooks.install { name in
      name == RuntimeHooks.mainName ? nil : LoadedSymbol.address(name)
    }
    #expect(problem == .isMissing("swift_task_getMainExecutor_hook"))
    #expect(problem?.message.contains("iOS 18.4 and macOS 15.4") == true)
  }

  @Test func aHookThatSomebodyElseHasSetIsLeftToThem() {
    let taken = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
    defer { taken.deallocate() }
    taken.initialize(to: 1)
    let free = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
    defer { free.deallocate() }
    free.initialize(to: 0)
    let problem = RuntimeHooks.install { name in
      UnsafeMutableRawPointer(name == RuntimeHooks.globalName ? taken : free)
    }
    #expect(problem == .isTaken("swift_task_enqueueGlobal_hook"))
    #expect(problem?.message.contains("swift_task_enqueueGlobal_hook") == true)
    #expect(taken.pointee == 1)
    #expect(free.pointee == 0)
  }

  @Test func theHooksAreSetOnce() {
    #expect(RuntimeHooks.install() == nil)
    #expect(RuntimeHooks.install() == nil)
  }
}
