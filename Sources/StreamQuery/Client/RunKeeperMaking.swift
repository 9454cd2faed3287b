/// Makes the keeper of a client.
protocol RunKeeperMaking: Sendable {
  func makeKeeper(_ configuration: QueryClient.Configuration) -> any RunKeeper
}
