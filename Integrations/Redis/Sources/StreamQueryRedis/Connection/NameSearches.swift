internal import Foundation
internal import Synchronization

/// Searches for the addresses of names, with one thread for each name.
///
/// A search of the system may take any time, and cannot be stopped. A server that is not found is
/// searched again and again, and this must not make more and more threads.
final class NameSearches: Sendable {
  /// The searches of this process.
  static let shared = NameSearches(NameResolver.addresses)

  typealias Look = @Sendable (String) -> Result<[String], RedisLink.Failure>

  /// A connection that waits for an address.
  ///
  /// The connection may be gone when the answer comes.
  private struct Seeker: Sendable {
    weak let mailbox: RedisMailbox?
    var search: Int
  }

  private let look: Look
  private let seekers = Mutex<[String: [ObjectIdentifier: Seeker]]>([:])

  /// Creates an object without running searches.
  ///
  /// - Parameter look: Finds the addresses of a name, and may take any time.
  init(_ look: @escaping Look) { self.look = look }

  /// The number of connections that wait for a name.
  ///
  /// - Parameter host: The name.
  /// - Returns: The number.
  func count(of host: String) -> Int { seekers.withLock { $0[host]?.count ?? 0 } }

  /// Sends a connection the addresses of a host when they are known.
  ///
  /// - Parameters:
  ///   - host: The host.
  ///   - search: The connection's number for this search. The connection does not wait for its
  ///     earlier searches any more.
  ///   - mailbox: The mailbox of the connection.
  func find(_ host: String, by search: Int, for mailbox: RedisMailbox) {
    let isFirst = seekers.withLock { seekers in
      let isFirst = seekers[host] == nil
      var waiting = seekers[host, default: [:]].filter { $0.value.mailbox != nil }
      waiting[ObjectIdentifier(mailbox)] = Seeker(mailbox: mailbox, search: search)
      seekers[host] = waiting
      return isFirst
    }
    guard isFirst else { return }
    let thread = Thread { [self] in
      let addresses = look(host)
      let waiting = seekers.withLock { $0.removeValue(forKey: host) } ?? [:]
      for seeker in waiting.values { seeker.mailbox?.found(addresses, by: seeker.search) }
    }
    thread.name = "redis name"
    thread.start()
  }
}
