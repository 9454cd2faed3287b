import StreamQuery
import Testing

@testable import StreamQuery

struct EntryKeyTests {
  @Test func valueTypeIsPartOfTheIdentity() {  // K06
    let names = EntryKey(QueryKey<[String]>("users"))
    let users = EntryKey(QueryKey<[KeySample.User]>("users"))
    expect(names != users)
    expectEqual(names, EntryKey(QueryKey<[String]>(["users"][0])))
    expectEqual([names: 1, users: 2].count, 2)
    expectEqual(names.key, users.key)
  }

  @Test func namesItsValueType() {
    let key = EntryKey(QueryKey<[KeySample.User]>("users"))
    expectEqual(key.valueTypeName, "Swift.Array<StreamQueryTests.KeySample.User>")
    expectEqual(key, EntryKey(["users"], valueType: [KeySample.User].self))
    expectEqual(key.description, #"["users"] as Array<User>"#)
  }
}
