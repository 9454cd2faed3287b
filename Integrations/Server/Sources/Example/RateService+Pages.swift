import Foundation
import Hummingbird
import StreamQuery
import StreamQueryPersistence

// A page of rates for a client that has a cache of its own. Cached rates are sent at once, and the others
// when they come.
extension RateService {
  /// Responds with lines of JSON, each of which has an archive of rates.
  func page(of currencies: [String]) -> Response {
    Response(
      status: .ok,
      headers: [.contentType: "application/x-ndjson"],
      body: ResponseBody(asyncSequence: archives(of: currencies).map { ByteBuffer(bytes: $0) })
    )
  }

  /// Archives with the rates that have arrived so far, until all rates have arrived or failed.
  func archives(of currencies: [String]) -> some AsyncSequence<Data, any Error> & Sendable {
    let queries = Set(currencies).sorted().map { Query.rate(of: $0, from: source) }
    // The export fetches nothing. These streams fetch at once, and live as long as the response is
    // read.
    let wanted = queries.map { client.stream($0) }
    let exports = client.exportStream(queries.map(QueryFilter.query).reduce(!.all, ||))
    return exports.map { export in
      try withExtendedLifetime(wanted) {
        try JSONEncoder().encode(export.archive) + Data("\n".utf8)
      }
    }
  }
}
