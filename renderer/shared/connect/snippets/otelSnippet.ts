import type { SnippetFor } from './promptLines.ts'

/** Escapes a value of OTEL_RESOURCE_ATTRIBUTES (W3C Baggage). */
const encoded = (value: string): string => encodeURIComponent(value)

/** Returns the variables with which apps send their traces to this service. `variable`: that of the token. */
export function otelSnippet({ origin, env, workspace, token }: SnippetFor, variable: string): string {
  const attributes = [
    'service.name=my-app',
    `deployment.environment.name=${encoded(env)}`,
    `promptdeck.workspace=${encoded(workspace)}`,
  ]
  return `# Every OpenTelemetry SDK reads these variables. Model calls in its spans appear in Runs.
export OTEL_EXPORTER_OTLP_ENDPOINT="${origin}"
export OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf"
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20${token ?? `$${variable}`}"
export OTEL_RESOURCE_ATTRIBUTES="${attributes.join(',')}"
export OTEL_METRICS_EXPORTER="none"

# Claude Code sends its calls as log events.
export CLAUDE_CODE_ENABLE_TELEMETRY="1"
export OTEL_LOGS_EXPORTER="otlp"

# Codex reads its file ~/.codex/config.toml instead:
# [otel]
# exporter = { otlp-http = { endpoint = "${origin}/v1/logs", protocol = "binary", headers = { "Authorization" = "Bearer ${token ?? '…'}" } } }
`
}
