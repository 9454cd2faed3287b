import StreamQuery
import StreamQueryRedis
import StreamQueryShared
import StreamQuerySharedTesting
import StreamQueryTesting

// What the samples of Integrations/Redis use besides the app. Nothing of it runs.

nonisolated let id = 1
nonisolated let simulation = Simulation()
nonisolated let store = MemorySharedStore(simulation.scheduling)
nonisolated var cache: SharedCache { preconditionFailure("no sample runs") }

nonisolated struct APIError: Error {
  var status: Int
}

typealias MyStore = MemorySharedStore
nonisolated extension MyStore {
  convenience init(namespace: String) async throws { self.init(name: namespace) }
}
