import Foundation
import Testing

@testable import StreamQueryInspector

/// The actions that a page asks for, and what becomes of bodies that are none.
struct InspectorActionTests {
  private func action(_ body: String) -> Result<InspectorAction, ActionRefusal> {
    Result { () throws(ActionRefusal) in try InspectorAction(body: Data(body.utf8)) }
  }

  @Test(arguments: InspectorAction.EntryAction.allCases)
  func anActionOnAnEntryNamesItsKey(_ entryAction: InspectorAction.EntryAction) {
    let name = entryAction.rawValue
    #expect(action(#"{"do":"\#(name)","key":7}"#) == .success(.entry(entryAction, key: 7)))
    #expect(
      action(#"{"do":"\#(name)"}"#)
        == .failure(ActionRefusal(400, "The number of a key is missing."))
    )
  }

  @Test func actionsOnTheClientNeedNoKey() {
    #expect(action(#"{"do":"offline"}"#) == .success(.network(isOffline: true)))
    #expect(action(#"{"do":"online","more":[1]}"#) == .success(.network(isOffline: false)))
    #expect(action(#"{"do":"delay","seconds":2.5}"#) == .success(.delay(seconds: 2.5)))
    #expect(action(#"{"do":"delay","seconds":0}"#) == .success(.delay(seconds: 0)))
    #expect(action(#"{"do":"end"}"#) == .success(.end))
    #expect(action(#"{"do":"stay"}"#) == .success(.stay))
    #expect(action(#"{"do":"setData","key":1,"dataText":"7"}"#) == .success(.setData(key: 1)))
  }

  @Test(arguments: [
    "", "{", "[]", "7", "null", #"{"do":7}"#, #"{"key":1}"#, #"{"do":"invalidate","key":"1"}"#,
    #"{"do":"invalidate","key":1.5}"#, #"{"do":"delay","seconds":"2"}"#, "\u{FEFF}",
    "{\"do\":\"\u{0}\"",
    String(repeating: "[", count: 10_000),
  ])
  func aBodyThatIsNoActionIsRefused(_ body: String) {
    #expect(
      action(body)
        == .failure(
          ActionRefusal(400, #"The body is no action, such as {"do": "invalidate", "key": 1}."#)
        )
    )
  }

  @Test(arguments: [
    (#"{"do":"explode"}"#, "There is no such action: explode."),
    (#"{"do":"delay"}"#, "A delay has from 0 to 600 seconds."),
    (#"{"do":"delay","seconds":-1}"#, "A delay has from 0 to 600 seconds."),
    (#"{"do":"delay","seconds":1e300}"#, "A delay has from 0 to 600 seconds."),
    (#"{"do":"delay","seconds":"nan"}"#, "A delay has from 0 to 600 seconds."),
    (#"{"do":"setData","dataText":"1"}"#, "The number of a key is missing."),
  ])
  func aWrongActionSaysWhatIsWrong(_ body: String, _ text: String) {
    #expect(action(body) == .failure(ActionRefusal(400, text)))
  }

  @Test func eachActionSaysWhatItHasDone() throws {
    #expect(InspectorAction.entry(.remove, key: 1).sentence(about: #"["a"]"#) == #"Removed ["a"]."#)
    #expect(
      InspectorAction.delay(seconds: 2).sentence(about: "") == "Each attempt takes 2.0 s longer."
    )
    #expect(
      InspectorAction.delay(seconds: 0).sentence(about: "") == "Attempts take as long as they take."
    )
  }
}

/// Values that somebody has typed, read as the type of an entry.
struct TypedDataTests {
  private struct User: Codable, Equatable {
    var name: String
    var age: Int?
    var friends: [User]?
  }

  private func value(
    _ type: any Decodable.Type,
    _ text: String
  ) throws -> Result<any Decodable, ActionRefusal> {
    let body = try InspectorJSON.encoder.encode(["do": "setData", "dataText": text])
    return Result { () throws(ActionRefusal) in try TypedData.value(of: type, in: body) }
  }

  @Test func aValueIsReadAsItsType() throws {
    let user = try value(User.self, #"{"name":"Ada","friends":[{"name":"Alan"}]}"#).get()
    #expect(user as? User == User(name: "Ada", friends: [User(name: "Alan")]))
    #expect(try value([Int].self, "[1,2]").get() as? [Int] == [1, 2])
    #expect(try value(Int?.self, "null").get() as? Int? == .some(nil))
    #expect(try value(UInt64.self, "18446744073709551615").get() as? UInt64 == .max)
  }

  @Test(arguments: [
    (#"{}"#, "The data is no User: it has no name."),
    (#"{"name":1}"#, "The data is no User: name is no String."),
    (
      #"{"name":"Ada","friends":[{"name":"B"},{}]}"#,
      "The data is no User: friends[1] has no name."
    ),
  ])
  func aWrongValueSaysWhere(_ json: String, _ text: String) throws {
    guard case .failure(let refusal) = try value(User.self, json) else {
      Issue.record("it was read")
      return
    }
    #expect(refusal.status == 422)
    #expect(refusal.text == text)
  }

  @Test func aTextIsReadWithoutRounding() throws {
    #expect(try value(Int.self, "9007199254740993").get() as? Int == 9_007_199_254_740_993)
    let texts = ["-9223372036854775808", "9223372036854775807"]
    #expect(try texts.map { try value(Int.self, $0).get() as? Int } == [.min, .max])
    let spaced = try value(User.self, " {\n  \"name\" : \"A\\u0301\"\n}\n").get()
    #expect(spaced as? User == User(name: "A\u{301}"))
    #expect(try value(Int?.self, "null").get() as? Int? == .some(nil))
  }

  @Test(arguments: [
    ("null", "The data is no Int: it has no value, and needs a Int."),
    ("\"7\"", "The data is no Int: it is no Int."),
  ])
  func aTextThatTheTypeCannotReadIsRefused(_ text: String, _ sentence: String) throws {
    #expect(throws: ActionRefusal(422, sentence)) { try value(Int.self, text).get() }
  }

  @Test(arguments: ["", "{", "7 8", "7}", "nul", "\u{0}", "9223372036854775808", "1.5"])
  func aTextThatIsNoNumberIsRefused(_ text: String) throws {
    guard case .failure(let refusal) = try value(Int.self, text) else {
      Issue.record("it was read")
      return
    }
    #expect(refusal.status == 422 && refusal.text.hasPrefix("The data is no Int: it "))
  }

  @Test(arguments: ["", #","dataText":7"#, #","dataText":null"#, #","data":7"#])
  func anEditWithoutATextIsRefused(_ rest: String) {
    let body = Data(#"{"do":"setData","key":1\#(rest)}"#.utf8)
    #expect(throws: ActionRefusal(400, "The data is missing.")) {
      try TypedData.value(of: Int?.self, in: body)
    }
  }

  @Test func aValueThatNestsTooDeeplyIsRefused() throws {
    let depth = 100_000
    let json = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    guard case .failure(let refusal) = try value([Int].self, json) else {
      Issue.record("it was read")
      return
    }
    #expect(refusal.status == 422)
  }
}
