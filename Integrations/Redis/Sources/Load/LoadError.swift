internal import StreamQueryRedis

/// The reason why the measurement failed.
enum LoadError: Error {
  /// The server gave another answer.
  case unexpected(RedisReply)
}
