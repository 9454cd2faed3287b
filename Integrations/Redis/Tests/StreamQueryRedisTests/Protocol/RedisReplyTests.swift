import CHiredis
import Testing

@testable import StreamQueryRedis

/// What the client library makes of bytes.
private func replies(_ text: String) -> [RedisReply] {
  guard let reader = redisReaderCreate() else { return [] }
  defer { redisReaderFree(reader) }
  var result: [RedisReply] = []
  // Byte by byte, as a slow network would.
  for byte in text.utf8 {
    var byte = CChar(bitPattern: byte)
    redisReaderFeed(reader, &byte, 1)
    var pointer: UnsafeMutableRawPointer?
    guard redisReaderGetReply(reader, &pointer) == REDIS_OK else { return result }
    guard let pointer else { continue }
    defer { freeReplyObject(pointer) }
    result.append(RedisReply(UnsafePointer(pointer.assumingMemoryBound(to: redisReply.self))))
  }
  return result
}

struct RedisReplyTests {
  @Test func eachTypeOfReplyIsCopied() {
    #expect(
      replies("+OK\r\n-ERR no\r\n:-7\r\n$3\r\na\0b\r\n$0\r\n\r\n$-1\r\n*-1\r\n*0\r\n")
        == [
          .status("OK"), .error("ERR no"), .integer(-7), .bytes([97, 0, 98]), .bytes([]), .null,
          .null, .array([]),
        ]
    )
    #expect(
      replies("*3\r\n*2\r\n:1\r\n$-1\r\n+x\r\n-ERR y\r\n")
        == [.array([.array([.integer(1), .null]), .status("x"), .error("ERR y")])]
    )
  }

  @Test func whatIsNoReplyEndsTheReading() {
    #expect(replies("+a\r\nHTTP/1.1 400 Bad Request\r\n") == [.status("a")])
    #expect(replies(String(repeating: "*1\r\n", count: 40)) == [])
  }

  @Test func aTextIsUTF8AndANumberHasDigits() {
    #expect(RedisReply.bytes([0xff]).text == nil)
    #expect(RedisReply.bytes(Array("é".utf8)).text == "é")
    #expect(RedisReply.bytes(Array("12".utf8)).number == 12)
    #expect(RedisReply.bytes(Array("-12".utf8)).number == nil)
    #expect(RedisReply.integer(-1).number == nil)
    #expect(RedisReply.integer(5).number == 5)
  }

  @Test(
    arguments: [
      ("NOSCRIPT No matching script. Please use EVAL.", .unknownScript),
      ("LOADING Redis is loading the dataset in memory", .unavailable),
      (
        "OOM command not allowed when used memory > 'maxmemory'. script: x, on @user_script:1.",
        .unavailable
      ),
      (
        "ERR Error running script (call to f_x): @user_script:3: -READONLY You can't write",
        .wrongServer
      ),
      ("READONLY You can't write against a read only replica.", .wrongServer),
      ("WRONGPASS invalid username-password pair or user is disabled.", .unavailable),
      ("ERR unknown command 'evalsha'", .other),
      ("", .other),
    ] as [(String, RedisRefusal)]
  )
  func aRefusalIsReadByItsCode(_ text: String, _ refusal: RedisRefusal) {
    #expect(RedisRefusal(text) == refusal)
  }
}
