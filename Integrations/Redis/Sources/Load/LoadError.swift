internal import StreamQueryRedis

/// Why nothing could be measured.
enum LoadError: Error {
  /// The server answered something else.
  case unexpected(RedisReply)
}
