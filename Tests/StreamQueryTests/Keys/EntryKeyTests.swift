import StreamQuery
import Testing

@testable import StreamQuery

@Suite struct EntryKeyTests {
  @Test func valueTypeIsPartOfTheIdentity() {  // K06
    let names = EntryKey(QueryKey<[String]>("users"))
    let users = EntryKey(QueryKey<[KeySample.User]>("users"))
    #expect(names != users)
    #expect(names == EntryKey(QueryKey<[String]>(["users"][0])))
    #expect([names: 1, users: 2].count == 2)
    #expect(names.key == users.key)
  }

  @Test func namesItsValueType() {
    let key = EntryKey(QueryKey<[KeySample.User]>("users"))
    #expect(key.valueTypeName == "Swift.Array<StreamQueryTests.KeySample.User>")
    #expect(key == EntryKey(["users"], valueType: [KeySample.User].self))
    #expect(key.description == #"["users"] as Array<User>"#)
  }
}
