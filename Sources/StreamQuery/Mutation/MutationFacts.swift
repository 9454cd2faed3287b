/// ``MutationRunContext`` without the input's type.
struct MutationFacts: Sendable {
  let client: any CarriedClient
  let job: MutationJob
}
