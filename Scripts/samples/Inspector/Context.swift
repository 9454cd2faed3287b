import StreamQuery
import StreamQueryInspector

// What the samples of Integrations/Inspector use besides the app.

nonisolated let client = QueryClient()
