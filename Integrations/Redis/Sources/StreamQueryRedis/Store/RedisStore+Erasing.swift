public import StreamQueryShared

extension RedisStore {
  /// Erases all entries of the namespace, such as those of a tenant that has left.
  ///
  /// The first step makes all entries and leases invalid on every machine, and each machine that reads the
  /// log sees a gap. Then a walk through all keys of the server's database removes entries and leases; its
  /// time depends on the number of keys. Entries that are stored meanwhile may be removed, too. The server
  /// keeps the name of the namespace and the numbers of its last version.
  ///
  /// The data in the memory of each machine stays: end the machines' clients first, or they store
  /// fetched data again.
  ///
  /// - Throws: An error if the server is out of reach; then call this function again.
  public func erase() async throws(SharedStoreError) {
    try await beginAnew()
    var cursor = Array("0".utf8)
    repeat {
      let words = ["SCAN"].map { Array($0.utf8) } + [cursor]
      let options = [Array("MATCH".utf8), keys.pattern, Array("COUNT".utf8), Array("1000".utf8)]
      let found = try await ask(RedisCommand(words + options)) { reply in
        reply.elements.flatMap { parts -> (cursor: [UInt8], names: [[UInt8]])? in
          guard parts.count == 2, let cursor = parts[0].bytes, let names = parts[1].elements else {
            return nil
          }
          return (cursor, names.compactMap(\.bytes))
        }
      }
      let names = found.names.filter { name in keys.beginnings.contains { name.starts(with: $0) } }
      if !names.isEmpty {
        _ = try await ask(RedisCommand([Array("UNLINK".utf8)] + names)) { $0.number }
      }
      cursor = found.cursor
    } while cursor != Array("0".utf8)
  }
}
