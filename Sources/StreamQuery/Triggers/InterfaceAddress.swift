/// One address of one network interface, with the facts on which connectivity depends.
struct InterfaceAddress: Equatable, Sendable {
  /// Whether the interface is up and has a carrier.
  var isRunning: Bool
  /// Whether the interface is the host itself.
  var isLoopback: Bool
  /// The address in network order: four or sixteen bytes; other lengths are not internet addresses.
  var bytes: [UInt8]

  /// Whether a host with these addresses can reach other hosts.
  ///
  /// - Parameter addresses: Every address of every interface; `nil` if the system did not tell,
  ///   which counts as online.
  /// - Returns: `true` if an address reaches beyond its own link.
  static func areOnline(_ addresses: [Self]?) -> Bool {
    guard let addresses else { return true }
    return addresses.contains { $0.isRunning && !$0.isLoopback && $0.reachesBeyondItsLink }
  }

  /// Whether the address is neither link-local nor unspecified nor that of the host itself.
  ///
  /// Link-local addresses are assigned without any other host, so an interface with no other
  /// address has found no network.
  private var reachesBeyondItsLink: Bool {
    switch bytes.count {
    case 4:
      let isLinkLocal = bytes[0] == 169 && bytes[1] == 254
      let isUnspecified = bytes.allSatisfy { $0 == 0 }
      return !isLinkLocal && !isUnspecified && bytes[0] != 127
    case 16:
      let isLinkLocal = bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80
      // `::` and `::1`.
      let isHost = bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] <= 1
      return !isLinkLocal && !isHost
    default:
      return false
    }
  }
}
