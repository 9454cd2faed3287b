import Testing

@testable import StreamQueryTesting

@MainActor struct RuntimeHooksTests {
  @Test func aRuntimeWithoutAHookIsNamed() {
    let problem = RuntimeHooks.install { name in
      name == RuntimeHooks.mainName ? nil : LoadedSymbol.address(name)
    }
    expectEqual(problem, .isMissing("swift_task_getMainExecutor_hook"))
    expectEqual(problem?.message.contains("iOS 18.4 and macOS 15.4"), true)
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
    expectEqual(problem, .isTaken("swift_task_enqueueGlobal_hook"))
    expectEqual(problem?.message.contains("swift_task_enqueueGlobal_hook"), true)
    expectEqual(taken.pointee, 1)
    expectEqual(free.pointee, 0)
  }

  @Test func theHooksAreSetOnce() {
    expectNil(RuntimeHooks.install())
    expectNil(RuntimeHooks.install())
  }
}
