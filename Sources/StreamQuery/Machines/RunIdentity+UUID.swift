#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension RunIdentity {
  package init(_ uuid: UUID) {
    self = withUnsafeBytes(of: uuid.uuid) { bytes in
      RunIdentity(
        high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
  }

  /// The identity as a UUID, for people and servers.
  package var uuid: UUID {
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes in
      UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
  }
}
