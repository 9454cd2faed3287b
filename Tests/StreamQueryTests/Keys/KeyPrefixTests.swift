import Foundation
import StreamQuery
import Testing

struct KeyPrefixTests {
  static let matching: [(AnyQueryKey, AnyQueryKey)] = [
    ([], []),
    ([], ["a", 1]),
    (["project", 7], ["project", 7]),
    (["project", 7], ["project", 7, "issues", "open"]),
    (
      AnyQueryKey("products", fields: ["category": "books"]),
      AnyQueryKey("products", fields: ["category": "books", "page": 2])
    ),
    (["products", [:] as KeyRecord], AnyQueryKey("products", fields: ["page": 2])),
    (["products"], AnyQueryKey("products", fields: ["page": 2])),
    (
      AnyQueryKey("p", fields: ["filter": ["min": 1] as KeyRecord]),
      AnyQueryKey("p", fields: ["filter": ["min": 1, "max": 2] as KeyRecord, "page": 1])
    ),
    (
      AnyQueryKey("p", fields: ["tags": ["a"]]),
      AnyQueryKey("p", fields: ["tags": ["a", "b"]])
    ),
    (
      AnyQueryKey("p", fields: ["tags": [["x": 1]]]),
      AnyQueryKey("p", fields: ["tags": [["x": 1, "y": 2]]])
    ),
    (["p", [1, 2]], ["p", [1, 2, 3]]),
    (["p", [Int]()], ["p", [1, 2, 3]]),
    (["p", [1], "x"], ["p", [1, 2], "x", "y"]),
    (["p", nil], ["p", nil, 1]),
    (AnyQueryKey("p", fields: ["a": nil]), AnyQueryKey("p", fields: ["a": nil, "b": 1])),
    (AnyQueryKey(KeySample.User.self), AnyQueryKey(KeySample.User.self, 1)),
    ([["x": 1]], [["x": 1, "y": 2]]),
  ]

  static let notMatching: [(AnyQueryKey, AnyQueryKey)] = [
    (["a"], []),
    (["project", 7], ["project", 8, "issues"]),
    (["project", 7], ["project"]),
    (["project", 7], ["project", "7"]),
    (["a", "b"], ["b", "a"]),
    (
      AnyQueryKey("products", fields: ["category": "books", "page": 2]),
      AnyQueryKey("products", fields: ["category": "books"])
    ),
    (
      AnyQueryKey("products", fields: ["category": "books"]),
      AnyQueryKey("products", fields: ["category": "music", "page": 2])
    ),
    (AnyQueryKey("p", fields: ["a": nil]), AnyQueryKey("p", fields: ["b": 1])),
    (AnyQueryKey("p", fields: ["z": 1]), AnyQueryKey("p", fields: ["a": 1, "b": 1])),
    (["p", [2]], ["p", [1, 2]]),
    (["p", [1, 2]], ["p", [1]]),
    (["p", Set([1])], ["p", Set([1, 2])]),
    (["p", KeySample.Filter.tag("a")], ["p", KeySample.Filter.tag("ab")]),
    ([[:] as KeyRecord], [[Int]()]),
  ]

  @Test(arguments: matching)
  func prefixMatches(prefix: AnyQueryKey, key: AnyQueryKey) {
    expect(prefix.isPrefix(of: key))
  }

  @Test(arguments: notMatching)
  func prefixDoesNotMatch(prefix: AnyQueryKey, key: AnyQueryKey) {
    expect(!prefix.isPrefix(of: key))
  }

  @Test func everyKeyIsAPrefixOfItself() {
    for key in KeyEqualityTests.distinct {
      expect(key.isPrefix(of: key))
    }
  }

  @Test func prefixIgnoresTheValueType() {
    let prefix: AnyQueryKey = "users"
    expect(prefix.isPrefix(of: QueryKey<[KeySample.User]>("users", 1)))
    expect(prefix.isPrefix(of: QueryKey<Int>("users", 1)))
  }
}
