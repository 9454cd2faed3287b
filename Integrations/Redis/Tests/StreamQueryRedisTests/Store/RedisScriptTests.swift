import RedisServers
import StreamQueryShared
import Testing

@testable import StreamQueryRedis

struct RedisScriptTests {
  @Test func aDigestIsTheOneThatEverybodyKnows() {
    #expect(SHA1.hexadecimal(of: []) == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
    #expect(SHA1.hexadecimal(of: Array("abc".utf8)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
    let long = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    #expect(SHA1.hexadecimal(of: long) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f")
    // At the sizes where another block begins.
    #expect(
      [55, 56, 63, 64].map { SHA1.hexadecimal(of: Array(long.prefix($0))) } == [
        "c1c8bbdc22796e28c0e15163d20899b65621d65a", "c2db330f6083854c99d4b5bfb6e8f29f201be699",
        "03f09f5b158a7a8cdad920bddc29b81c18a551f5", "0098ba824b5c16427bd7a1122a5a442a25ec644d",
      ]
    )
  }

  @Test func aCommandOfAScriptHasItsKeysCounted() {
    let script = RedisScript("return 1")
    let keys: [[UInt8]] = [[1], [2]]
    #expect(
      script.byName(keys, [[3]]).arguments
        == [Array("EVALSHA".utf8), Array(script.digest.utf8), Array("2".utf8), [1], [2], [3]]
    )
    #expect(script.byText(keys, []).arguments[1] == Array(script.source.utf8))
    #expect(script.source.hasSuffix("return 1"))
  }

  @Test func noNamespaceAndKeyNameTheKeysOfAnother() {
    let namespaces = ["", "%", "a", "a}", "{a", "a}:sq1:e:x", "a%7D", "a:sq1:e"]
    let texts = ["", "x", "x}:sq1:state", "state", "e:x", "}:sq1:log"]
    var seen: [[UInt8]: String] = [:]
    for namespace in namespaces {
      let keys = RedisKeys(namespace)
      for text in texts {
        for name in keys.all(for: SharedKey(text, marks: [])).dropFirst(3) {
          #expect(seen.updateValue(namespace, forKey: name) == nil)
        }
      }
      for name in keys.common { #expect(seen.updateValue(namespace, forKey: name) == nil) }
    }
  }

  @Test func allKeysOfANamespaceAreInOneSlotOfACluster() {
    for namespace in ["", "a", "a}b{", "{}", "}"] {
      let names = RedisKeys(namespace).all(for: SharedKey("}{x}", marks: []))
      let tags = Set(
        names.map { name in
          // What a cluster hashes: from the first brace to the first one that closes.
          let tail = name.drop { $0 != UInt8(ascii: "{") }.dropFirst()
          return Array(tail.prefix { $0 != UInt8(ascii: "}") })
        }
      )
      #expect(tags.count == 1)
      #expect(tags.first?.isEmpty == false)
    }
  }

  @Test func timesAreWholeNumbersWithinTheirLimits() {
    let lengths: [Duration] = [.zero, .seconds(-1), .microseconds(1_999), .seconds(Int64.max)]
    let digits = lengths.map { String(decoding: $0.milliseconds(upTo: .seconds(9)), as: UTF8.self) }
    #expect(digits == ["1", "1", "1", "9000"])
    let ages = lengths.map { String(decoding: $0.ageDigits, as: UTF8.self) }
    #expect(ages == ["0", "-1", "1999", "608400000000"])
  }

  @Test func aFailureIsCutBetweenCharacters() {
    #expect(RedisLimits.cut("ab") == [97, 98])
    let long = "a" + String(repeating: "é", count: 4_000)
    let cut = RedisLimits.cut(long)
    #expect(cut.count == RedisLimits.failure - 1)
    #expect(String(validating: cut, as: UTF8.self) != nil)
  }
}
