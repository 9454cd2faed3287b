import Logging
import ServiceLifecycle
import StreamQuery
import StreamQueryServer
import StreamQueryShared
import StreamQuerySharedServer
import Tracing
import UnixSignals

// What the samples of Integrations/Server use besides the app. Nothing of it runs.

nonisolated let client = QueryClient(configuration: .server)
nonisolated let logger = Logger(label: "shop")
nonisolated let id = 1
nonisolated let rates = Query<Int>("rates") { 1 }
nonisolated let writer = Writer()
nonisolated var server: any Service { preconditionFailure("no sample runs") }
nonisolated var store: any ClosableStore { preconditionFailure("no sample runs") }
nonisolated var cache: SharedCache { preconditionFailure("no sample runs") }

/// As the stores on servers are.
nonisolated protocol ClosableStore: SharedStore {
  func close() async
}

nonisolated struct Writer: Sendable {
  func write(_ result: QueryResult<Int>) async throws {}
}

nonisolated extension API {
  func answer(for id: User.ID) async throws -> (user: User, region: String) { (.ada, "eu") }
}
