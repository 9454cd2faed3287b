import Foundation
import RedisServers
import StreamQueryRedis
import StreamQuerySharedTesting
import Testing

extension ServerSuite {
  /// The store keeps the rules of every shared store.
  struct RedisContractTests {
    @Test func keepsTheContract() async throws {
      let server = try TestServer()
      let endpoint = server.endpoint
      await SharedStoreContract(logLength: 1_000) {
        var configuration = RedisStoreConfiguration()
        // More than is read at once, and less than the contract writes.
        configuration.logLength = 400
        return RedisStore(endpoint, namespace: UUID().uuidString, configuration: configuration)
      }.check()
      server.kill()
    }
  }
}
