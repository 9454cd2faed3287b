import StreamQueryRedis
import Testing

struct RedisEndpointTests {
  @Test func aURLHasHostPortUserPasswordAndDatabase() throws {
    let all = RedisEndpoint(
      .host("cache.internal", port: 6380),
      user: "app",
      password: "p@ss:/word",
      database: 3
    )
    #expect(try RedisEndpoint(url: "redis://app:p%40ss%3A%2Fword@cache.internal:6380/3") == all)
    #expect(try RedisEndpoint(url: "REDIS://h") == RedisEndpoint(.host("h", port: 6379)))
    #expect(try RedisEndpoint(url: "redis://h/") == RedisEndpoint(.host("h", port: 6379)))
    let secret = RedisEndpoint(.host("h", port: 6379), password: "secret")
    #expect(try RedisEndpoint(url: "redis://:secret@h") == secret)
    #expect(
      try RedisEndpoint(url: "redis://[::1]:7/2?x=y") == .init(.host("::1", port: 7), database: 2)
    )
  }

  @Test func aURLOfAHostMayHaveItsDatabaseInTheQuery() throws {
    let three = RedisEndpoint(.host("h", port: 6379), database: 3)
    for url in ["redis://h?db=3", "redis://h/?x=y&db=3", "redis://h/0?database=3#top"] {
      #expect(try RedisEndpoint(url: url) == three, "\(url)")
    }
    #expect(throws: RedisEndpoint.URLError.badDatabase("x")) {
      try RedisEndpoint(url: "redis://h/1?db=x")
    }
  }

  @Test func aURLOfASocketHasAPath() throws {
    let plain = RedisEndpoint(.socket(path: "/var/run/redis.sock"))
    #expect(try RedisEndpoint(url: "unix:///var/run/redis.sock") == plain)
    let all = RedisEndpoint(.socket(path: "/a b"), user: "u", password: "p", database: 4)
    #expect(try RedisEndpoint(url: "redis+unix://u:p@/a%20b?db=4") == all)
  }

  @Test(
    arguments: [
      ("", .unknownScheme("")),
      ("http://h", .unknownScheme("http")),
      ("rediss://h", .needsTLS),
      ("redis://", .noAddress),
      ("redis://:80", .noAddress),
      ("redis://[::1", .noAddress),
      ("redis://[::1]x", .noAddress),
      ("unix://", .noAddress),
      ("redis://h:", .badPort("")),
      ("redis://h:0", .badPort("0")),
      ("redis://h:65536", .badPort("65536")),
      ("redis://h:-1", .badPort("-1")),
      ("redis://h/x", .badDatabase("x")),
      ("redis://h/-1", .badDatabase("-1")),
      ("redis://%4@h", .badEscape("%4")),
      ("redis://u:%+1@h", .badEscape("%+1")),
      ("redis://u:%ff@h", .badEscape("%ff")),
      ("redis://u:%00@h", .badEscape("%00")),
    ] as [(String, RedisEndpoint.URLError)]
  )
  func whatIsNoURLSaysWhy(_ url: String, _ error: RedisEndpoint.URLError) {
    #expect(throws: error) { try RedisEndpoint(url: url) }
  }

  @Test func noTextOfAnEndpointShowsThePassword() throws {
    for url in ["redis://me:hush@h:1/2", "unix://me:hush@/s"] {
      let endpoint = try RedisEndpoint(url: url)
      var dumped = ""
      dump(endpoint, to: &dumped)
      for text in ["\(endpoint)", String(reflecting: endpoint), dumped] {
        #expect(!text.contains("hush"))
        #expect(text.contains("me"))
      }
    }
  }

  @Test func aConnectionFirstSaysWhoItIs() throws {
    let named = try RedisEndpoint(url: "redis://me:pw@h/2")
    #expect(named.introduction == [RedisCommand("AUTH", "me", "pw"), RedisCommand("SELECT", "2")])
    #expect(try RedisEndpoint(url: "redis://:pw@h").introduction == [RedisCommand("AUTH", "pw")])
    #expect(try RedisEndpoint(url: "redis://h").introduction == [])
  }
}
