import { z } from 'zod'
import { isHeaderValue } from './config-values.ts'

/**
 * The collector that receives runs as telemetry. The variables are those of the OpenTelemetry specification.
 */
export type OtelConfig = {
  /** Address without the path of a signal, and without a slash at the end. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly encoding: 'protobuf' | 'json'
  /** Time limit of a request in milliseconds. */
  readonly timeoutMs: number
  readonly serviceName: string
}

/** Parses `name=value,name=value`; values may be percent-encoded. Null if it is not of that form. */
function headersOf(text: string): Record<string, string> | null {
  const headers: Record<string, string> = {}
  for (const part of text.split(',').filter((each) => each.trim() !== '')) {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(part) ?? []
    if (name === undefined || value === undefined || !/^[\x20-\x7e]*$/.test(value)) return null
    try {
      const decoded = decodeURIComponent(value).trim()
      if (!isHeaderValue(decoded)) return null
      headers[name.toLowerCase()] = decoded
    } catch {
      return null
    }
  }
  return headers
}

/** Returns true for an address to which the path of a signal can be appended. */
function isBase(address: string): boolean {
  const { username, password, search, hash } = new URL(address)
  return [username, password, search, hash].every((part) => part === '')
}

export const otelVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, abort: true })
    .refine(
      isBase,
      'expected an address without user, password, query and fragment; credentials are in OTEL_EXPORTER_OTLP_HEADERS',
    )
    .optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .default('')
    .transform((text, ctx) => {
      const headers = headersOf(text)
      if (headers === null)
        ctx.addIssue({ code: 'custom', message: 'expected name=value, separated by commas' })
      return headers ?? {}
    }),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.string().default('http/protobuf'),
  OTEL_EXPORTER_OTLP_TIMEOUT: z
    .string()
    .regex(/^\d+$/, 'expected milliseconds')
    .transform(Number)
    .pipe(z.number().min(100).max(60_000))
    .default(10_000),
  OTEL_SERVICE_NAME: z.string().trim().min(1).max(128).default('promptdeck'),
}

const encodings: Readonly<Record<string, OtelConfig['encoding']>> = {
  'http/protobuf': 'protobuf',
  'http/json': 'json',
}

/**
 * Returns the errors in the combination of variables. The protocol is ignored if no endpoint is set: it is
 * then for other programs.
 */
export function otelFailures(env: Readonly<Record<string, string | undefined>>): string[] {
  const protocol = env['OTEL_EXPORTER_OTLP_PROTOCOL'] ?? 'http/protobuf'
  if (env['OTEL_EXPORTER_OTLP_ENDPOINT'] === undefined || Object.hasOwn(encodings, protocol)) return []
  return ['OTEL_EXPORTER_OTLP_PROTOCOL: expected http/protobuf or http/json; gRPC is not supported']
}

type Values = z.output<z.ZodObject<typeof otelVariables>>

/** Returns the configuration; null without an endpoint, because nothing is sent then. */
export function otelConfigOf(values: Values): OtelConfig | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = values
  if (endpoint === undefined) return null
  return {
    endpoint: endpoint.replace(/\/+$/, ''),
    headers: values.OTEL_EXPORTER_OTLP_HEADERS,
    encoding: encodings[values.OTEL_EXPORTER_OTLP_PROTOCOL] ?? 'protobuf',
    timeoutMs: values.OTEL_EXPORTER_OTLP_TIMEOUT,
    serviceName: values.OTEL_SERVICE_NAME,
  }
}
