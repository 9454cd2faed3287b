import RedisServers
import StreamQueryRedis
import Testing

/// Tests that start real servers: in real time, one after the other, since they count threads.
@Suite(.serialized, .enabled(if: TestServer.program != nil, "\(TestServer.missing)"))
enum ServerSuite {}

extension TestServer {
  /// Where the server is.
  var endpoint: RedisEndpoint { RedisEndpoint(.host("127.0.0.1", port: Int(port))) }
}

extension AnsweringListener {
  /// Where the listener is.
  var endpoint: RedisEndpoint { RedisEndpoint(.host("127.0.0.1", port: Int(port))) }
}

extension TestProxy {
  /// Where the proxy is.
  var endpoint: RedisEndpoint { RedisEndpoint(.host("127.0.0.1", port: Int(port))) }
}
