#if os(Linux)
@preconcurrency internal import Dispatch

#if canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

extension StateSource {
  /// The connectivity of the host; the process has one route socket.
  static let systemConnectivity = StateSource(shared: SharedState(start: RouteSocket.start))
}

/// Receives the kernel's messages about changes of links and addresses.
///
/// The content of the messages is not read: after any message, or the error that some were lost, all
/// addresses are read again. This needs no privilege.
private enum RouteSocket {
  /// Opens the socket, reads all addresses, and only then listens.
  ///
  /// A change in between waits in the socket, and no two reads run at once.
  static func start(report: @escaping SharedState.Report) -> SharedState.Stop {
    guard let descriptor = open() else {
      // An unknown state counts as online.
      report(true)
      return {}
    }
    let queue = DispatchQueue(label: "StreamQuery.Connectivity", qos: .utility)
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler {
      switch drain(descriptor) {
      case .nothing:
        break
      case .changed:
        report(InterfaceAddress.areOnline(InterfaceAddress.present()))
      case .broken:
        // A socket with an error stays readable, so the loop would never rest. The last state stays
        // in force.
        source.cancel()
      }
    }
    source.setCancelHandler { close(descriptor) }
    report(InterfaceAddress.areOnline(InterfaceAddress.present()))
    source.activate()
    return { source.cancel() }
  }

  private static func open() -> CInt? {
    #if canImport(Musl)
    let kind = SOCK_RAW
    #else
    let kind = CInt(SOCK_RAW.rawValue)
    #endif
    let flags = CInt(O_NONBLOCK) | CInt(O_CLOEXEC)
    let descriptor = socket(AF_NETLINK, kind | flags, routeProtocol)
    guard descriptor >= 0 else { return nil }
    var address = Address()
    let size = socklen_t(MemoryLayout<Address>.size)
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
    }
    guard isBound else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// `NETLINK_ROUTE`; the C library's module does not export it.
  private static let routeProtocol: CInt = 0

  /// `struct sockaddr_nl`; the C library's module does not export it.
  private struct Address {
    var family = sa_family_t(AF_NETLINK)
    var padding: UInt16 = 0
    /// Zero lets the kernel choose.
    var port: UInt32 = 0
    /// `RTMGRP_LINK`, `RTMGRP_IPV4_IFADDR` and `RTMGRP_IPV6_IFADDR`.
    var groups: UInt32 = 0x1 | 0x10 | 0x100
  }

  private enum Reading {
    case nothing
    case changed
    case broken
  }

  /// Reads until the socket is empty, so that a burst of messages causes one read of the addresses.
  private static func drain(_ descriptor: CInt) -> Reading {
    var hasChanged = false
    // Longer messages are truncated, which is harmless: their content is not read.
    var byte: UInt8 = 0
    while true {
      let count = recv(descriptor, &byte, 1, 0)
      if count > 0 {
        hasChanged = true
        continue
      }
      switch count < 0 ? errno : ENOTCONN {
      case EINTR:
        continue
      case ENOBUFS:
        // Messages were lost; the error is reported once and then cleared.
        hasChanged = true
      case EAGAIN:
        return hasChanged ? .changed : .nothing
      default:
        return .broken
      }
    }
  }
}
#endif
