import Foundation
import Hummingbird
import StreamQuery
import StreamQueryPersistence

// A page of rates for a client that has a cache of its own: what is there is sent at once, and what is
// still being fetched when it comes.
extension RateService {
  /// The page, as lines of JSON: an archive each.
  func page(of currencies: [String]) -> Response {
    Response(
      status: .ok,
      headers: [.contentType: "application/x-ndjson"],
      body: ResponseBody(asyncSequence: archives(of: currencies).map { ByteBuffer(bytes: $0) })
    )
  }

  /// The archives of some rates, until all have arrived, or failed.
  func archives(of currencies: [String]) -> some AsyncSequence<Data, any Error> & Sendable {
    let queries = Set(currencies).sorted().map { Query.rate(of: $0, from: source) }
    // The export asks for nothing itself. These ask at once, and for as long as somebody reads.
    let wanted = queries.map { client.stream($0) }
    let exports = client.exportStream(queries.map(QueryFilter.query).reduce(!.all, ||))
    return exports.map { export in
      try withExtendedLifetime(wanted) {
        try JSONEncoder().encode(export.archive) + Data("\n".utf8)
      }
    }
  }
}
