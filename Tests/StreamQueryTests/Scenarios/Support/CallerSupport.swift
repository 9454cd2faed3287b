import StreamQuery
import StreamQueryTesting

/// Whose call it is: a task-local as servers have one for the tenant or the trace.
enum Caller {
  @TaskLocal static var name = "nobody"
  /// Lives for as long as any task that has inherited it.
  @TaskLocal static var witness: Witness?

  static func named<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
    try $name.withValue(name, operation: body)
  }
}

/// Lets a call come in the middle of another caller's, who then performs what it asked for.
final class Intrusion: Sendable {
  private let call = Dial<(@Sendable () -> Void)?>(nil)

  /// What the client's `onEvent` calls: the next event is when the call comes.
  func happen() {
    call.with { $0.take() }?()
  }

  /// Makes a call, under a name of its own, while a stranger's is being performed.
  func call(_ name: String, into client: QueryClient, _ body: @escaping @Sendable () -> Void) {
    call.value = { Caller.named(name, body) }
    Caller.named("stranger") { client.setData(0, for: QueryKey<Int>("the stranger's")) }
  }
}

extension Simulation {
  /// Starts a task of this world as a caller of a name.
  @discardableResult
  func task(
    as name: String,
    _ operation: @escaping @Sendable () async throws -> Void
  ) -> Task<Void, any Error> {
    Caller.named(name) { task(name, operation) }
  }
}

extension QueryClient {
  /// A client whose network a test turns on and off, and whose events let somebody intrude.
  init(
    simulation: Simulation,
    online: ManualSignal<Bool>,
    intrusion: Intrusion,
    hooks: MutationHooks? = nil
  ) {
    self.init(simulation: simulation) {
      $0.connectivity = Connectivity { online }
      $0.onEvent = { _ in intrusion.happen() }
      if let hooks { $0.mutationHooks = hooks }
    }
    simulation.settle()
  }
}
