import Testing

@testable import StreamQuery

/// N01, feature row 27: which addresses mean online.
struct InterfaceAddressTests {
  @Test(
    arguments: [
      [10, 0, 0, 7],
      [192, 168, 1, 20],
      [169, 253, 0, 1],
      [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      // Unique local, and the first address behind the link-local ones.
      [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      [0xfe, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      // Not `::1`, though it ends so.
      [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    ] as [[UInt8]]
  )
  func anAddressBeyondTheLinkIsOnline(bytes: [UInt8]) {
    expect(InterfaceAddress.areOnline([address(bytes)]))
  }

  @Test(
    arguments: [
      [127, 0, 0, 1],
      [169, 254, 12, 1],
      [0, 0, 0, 0],
      [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      [0xfe, 0xbf, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
      [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      [],
      [10, 0, 0],
      [10, 0, 0, 7, 0, 0],
    ] as [[UInt8]]
  )
  func anAddressWithinTheHostOrLinkIsOffline(bytes: [UInt8]) {
    expect(!InterfaceAddress.areOnline([address(bytes)]))
  }

  @Test func aDownOrUnpluggedInterfaceIsOffline() {
    expect(!InterfaceAddress.areOnline([address([10, 0, 0, 7], isRunning: false)]))
  }

  @Test func loopbackIsOfflineWhateverItsAddress() {
    expect(!InterfaceAddress.areOnline([address([10, 0, 0, 7], isLoopback: true)]))
  }

  @Test func oneGoodInterfaceIsEnough() {
    expect(
      InterfaceAddress.areOnline([
        address([127, 0, 0, 1], isLoopback: true),
        address([10, 0, 0, 7], isRunning: false),
        address([192, 168, 1, 20]),
      ])
    )
  }

  @Test func noInterfaceIsOffline() {
    expect(!InterfaceAddress.areOnline([]))
  }

  /// X28: unknown means online.
  @Test func notBeingToldIsOnline() {
    expect(InterfaceAddress.areOnline(nil))
  }

  #if os(Linux)
  @Test func theHostTellsItsAddresses() throws {
    let addresses = try #require(InterfaceAddress.present())
    #expect(addresses.allSatisfy { $0.bytes.count == 4 || $0.bytes.count == 16 })
    let loopback = addresses.filter { $0.bytes == [127, 0, 0, 1] }
    #expect(loopback.allSatisfy { $0.isLoopback })
  }
  #endif

  private func address(
    _ bytes: [UInt8],
    isRunning: Bool = true,
    isLoopback: Bool = false
  ) -> InterfaceAddress {
    InterfaceAddress(isRunning: isRunning, isLoopback: isLoopback, bytes: bytes)
  }
}
