/// The 16 bytes that identify a run of a mutation, in this process and in later ones.
///
/// The bits are those of a UUID: random (version 4) for a run that began here, or a digest of the run's data
/// in the archive (version 8) for a run of an archive without identities.
package struct RunIdentity: Hashable, Sendable {
  let high: UInt64
  let low: UInt64

  /// Creates an identity from given bits.
  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  private init(_ high: UInt64, _ low: UInt64, version: UInt64) {
    self.high = high & ~0xf000 | version << 12
    self.low = low & ~(0b11 << 62) | 0b10 << 62
  }

  /// Creates the identity of a run that begins.
  ///
  /// The number and the date are mixed in, so that two runs have different identities even if the
  /// generator repeats itself, as in a test. The result is as random as the generator's numbers.
  ///
  /// - Parameters:
  ///   - random: The numbers of the generator.
  ///   - serial: The run's number within its client.
  ///   - date: The date when the run was started.
  init(random: (high: UInt64, low: UInt64), serial: UInt64, date: Double) {
    self.init(random.high ^ date.bitPattern, random.low ^ serial, version: 4)
  }

  /// Creates the identity of a run from an archive without identities: the same at every import of the
  /// archive.
  ///
  /// - Parameters:
  ///   - key: The mutation's types and key as text.
  ///   - date: The date when the run was started.
  ///   - input: The encoded input.
  package init(key: String, date: Double, input: some Sequence<UInt8>) {
    var (high, low): (UInt64, UInt64) = (0xcbf2_9ce4_8422_2325, 0x9e37_79b9_7f4a_7c15)
    func feed(_ byte: UInt8) {
      high = (high ^ UInt64(byte)) &* 0x100_0000_01b3
      low = (low ^ UInt64(byte)) &* 0x100_0000_01b3
      low ^= low >> 29
    }
    for byte in key.utf8 { feed(byte) }
    // This byte separates the texts, because no text contains it.
    feed(0xff)
    for shift in stride(from: 0, to: 64, by: 8) {
      feed(UInt8(truncatingIfNeeded: date.bitPattern >> UInt64(shift)))
    }
    for byte in input { feed(byte) }
    self.init(high, low, version: 8)
  }

  /// The identity of the nth of several runs with equal key, date and input in an archive.
  package func numbered(_ number: UInt64) -> Self {
    Self(high, low &+ number &* 0x9e37_79b9_7f4a_7c15, version: 8)
  }

  /// The identity of the run's request after the nth change of its input: each change makes another request.
  package func revised(_ revision: UInt64) -> Self {
    guard revision > 0 else { return self }
    return Self(
      high ^ revision,
      low &+ revision &* 0x9e37_79b9_7f4a_7c15,
      version: high >> 12 & 0xf
    )
  }

  /// Whether the identity is a digest of a run's data in an archive, and not random.
  var isDerived: Bool { high >> 12 & 0xf == 8 }
}
