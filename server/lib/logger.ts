import { type DestinationStream, type Logger, pino } from 'pino'
import pretty from 'pino-pretty'
import type { Config } from '../config.ts'

/** Members that never reach the log, at any depth the service logs at. */
const secrets = [
  'authorization',
  'token',
  'password',
  'current_password',
  'new_password',
  'api_key',
  'secret',
  'cookie',
]
const redact = secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `headers["${name}"]`])

/**
 * Structured lines on stderr, so that stdout carries only what scripts read. For a person at a terminal they are set in
 * colour. JSON encoding keeps a line break in a value from starting a line of its own.
 */
export function createLogger(
  { logLevel }: Pick<Config, 'logLevel'>,
  destination?: DestinationStream,
): Logger {
  const options = { level: logLevel, base: null, redact: { paths: redact, censor: '[redacted]' } }
  if (destination) return pino(options, destination)
  if (process.stderr.isTTY)
    return pino(options, pretty({ destination: 2, translateTime: 'HH:MM:ss.l', sync: true }))
  return pino(options, pino.destination({ dest: 2, sync: true }))
}
