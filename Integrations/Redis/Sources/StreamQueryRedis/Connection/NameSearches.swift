internal import Foundation
internal import Synchronization

/// Searches for the addresses of names: one thread for each name, however many ask for it.
///
/// The system may look for a name as long as it likes, and cannot be stopped. A server that is not
/// found is asked for again and again, which must not pile up threads.
final class NameSearches: Sendable {
  /// The searches of this process.
  static let shared = NameSearches(NameResolver.addresses)

  typealias Look = @Sendable (String) -> Result<[String], RedisLink.Failure>

  /// A connection that waits.
  ///
  /// It may be gone when the answer comes.
  private struct Seeker: Sendable {
    weak let mailbox: RedisMailbox?
    var search: Int
  }

  private let look: Look
  private let seekers = Mutex<[String: [ObjectIdentifier: Seeker]]>([:])

  /// Creates searches, of which none runs.
  ///
  /// - Parameter look: Looks for a name; it may take as long as it likes.
  init(_ look: @escaping Look) { self.look = look }

  /// How many connections wait for a name.
  ///
  /// - Parameter host: The name.
  /// - Returns: The number.
  func count(of host: String) -> Int { seekers.withLock { $0[host]?.count ?? 0 } }

  /// Tells a connection the addresses of a host once they are known.
  ///
  /// - Parameters:
  ///   - host: The host.
  ///   - search: The connection's number of the search; it waits for no earlier one any more.
  ///   - mailbox: Where the connection is told.
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
