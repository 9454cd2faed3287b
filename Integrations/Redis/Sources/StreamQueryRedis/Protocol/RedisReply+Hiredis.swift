internal import CHiredis

extension RedisReply {
  /// Copies a reply of hiredis; the recursion is bounded, because hiredis limits how deep replies are nested.
  ///
  /// - Parameter reply: The reply, which the caller frees.
  init(_ reply: UnsafePointer<redisReply>) {
    switch reply.pointee.type {
    case REDIS_REPLY_STRING:
      self = .bytes(Self.bytes(of: reply))
    case REDIS_REPLY_STATUS:
      self = .status(String(decoding: Self.bytes(of: reply), as: UTF8.self))
    case REDIS_REPLY_ERROR:
      self = .error(String(decoding: Self.bytes(of: reply), as: UTF8.self))
    case REDIS_REPLY_INTEGER:
      self = .integer(Int64(reply.pointee.integer))
    case REDIS_REPLY_NIL:
      self = .null
    case REDIS_REPLY_ARRAY:
      let elements = UnsafeBufferPointer(
        start: reply.pointee.element,
        count: Int(reply.pointee.elements)
      )
      self = .array(elements.map { element in element.map { Self($0) } ?? .null })
    default:
      self = .unknown
    }
  }

  private static func bytes(of reply: UnsafePointer<redisReply>) -> [UInt8] {
    guard let text = reply.pointee.str else { return [] }
    return Array(UnsafeRawBufferPointer(start: text, count: Int(reply.pointee.len)))
  }
}
