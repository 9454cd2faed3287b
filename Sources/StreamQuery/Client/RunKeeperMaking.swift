/// Makes the keeper of a client.
package protocol RunKeeperMaking: Sendable {
  func makeKeeper(_ configuration: QueryClient.Configuration) -> any RunKeeper
}
