import Foundation
import Synchronization
import Testing

@testable import StreamQueryRedis

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

struct NameSearchesTests {
  /// A system that looks for names as long as the test likes.
  final class Names: Sendable {
    let isOpen = DispatchSemaphore(value: 0)
    let looks = Mutex(0)

    func look(_ host: String) -> Result<[String], RedisLink.Failure> {
      isOpen.wait()
      return .success(["\(host) \(looks.withLock { $0 += 1; return $0 })"])
    }
  }

  /// Waits until a connection is told something.
  private func wait(for mailbox: RedisMailbox) {
    var socket = pollfd(fd: mailbox.wakeup.descriptor, events: Int16(POLLIN), revents: 0)
    poll(&socket, 1, 60_000)
    mailbox.wakeup.drain()
    _ = mailbox.situation()
  }

  @Test func howeverManyAskForANameItIsLookedForOnceAtATime() {
    let names = Names()
    let searches = NameSearches(names.look)
    let mailboxes = [RedisMailbox(), RedisMailbox()]
    for search in 1...20 {
      for mailbox in mailboxes { searches.find("a", by: search, for: mailbox) }
    }
    #expect(searches.count(of: "a") == 2)
    names.isOpen.signal()
    for mailbox in mailboxes {
      wait(for: mailbox)
      #expect(mailbox.addresses(of: 20) == .success(["a 1"]))
    }
    // Then it is looked for anew.
    searches.find("a", by: 21, for: mailboxes[0])
    names.isOpen.signal()
    wait(for: mailboxes[0])
    #expect(mailboxes[0].addresses(of: 21) == .success(["a 2"]))
    #expect(searches.count(of: "a") == 0)
  }

  @Test func connectionsThatAreGoneAreForgotten() {
    let names = Names()
    let searches = NameSearches(names.look)
    for search in 1...50 { searches.find("a", by: search, for: RedisMailbox()) }
    #expect(searches.count(of: "a") <= 2)
    names.isOpen.signal()
  }

  @Test func aNameThatTakesForEverKeepsNoOtherOneWaiting() {
    let names = Names()
    let searches = NameSearches { host in host == "slow" ? names.look(host) : .success([host]) }
    let (first, second) = (RedisMailbox(), RedisMailbox())
    searches.find("slow", by: 1, for: first)
    searches.find("fast", by: 1, for: second)
    wait(for: second)
    #expect(second.addresses(of: 1) == .success(["fast"]))
    names.isOpen.signal()
    wait(for: first)
  }
}
