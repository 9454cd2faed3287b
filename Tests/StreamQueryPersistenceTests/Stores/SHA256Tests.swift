import Testing

import StreamQuery
@testable import StreamQueryPersistence

/// The digest is that of the standard: its own examples, and lengths around the ends of blocks.
struct SHA256Tests {
  private func digest(_ text: String) -> String { hexadecimal(SHA256.digest(of: text.utf8)) }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test func publishedMessagesHaveTheirPublishedDigests() {
    expectEqual(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    expectEqual(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    // 448 bits, and 896.
    expectEqual(
      digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    )
    expectEqual(
      digest(
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
          + "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
      ),
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    )
  }

  @Test func aMillionLettersHaveTheirPublishedDigest() {
    let message = repeatElement(UInt8(ascii: "a"), count: 1_000_000)
    expectEqual(
      hexadecimal(SHA256.digest(of: message)),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    )
  }

  @Test("messages of 0 to 199 bytes: the digest of their digests is another program's")
  func everyLength() {
    let digests = (0..<200).flatMap { count in
      SHA256.digest(of: (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + count) })
    }
    expectEqual(
      hexadecimal(SHA256.digest(of: digests)),
      "8c7c9ff69da76fc28823a1cb97268672663e628e1ea955868b16db46bab0545d"
    )
  }
}
