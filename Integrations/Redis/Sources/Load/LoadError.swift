internal import StreamQueryRedis

/// The reason why the measurement failed.
enum LoadError: Error {
  /// The server gave another answer than the expected one.
  case unexpected(RedisReply)
}
