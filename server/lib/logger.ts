import { type DestinationStream, type LevelWithSilent, type Logger, pino } from 'pino'
import pretty from 'pino-pretty'

/** Fields that are never logged, up to two levels deep. */
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
 * Returns a logger that writes JSON Lines to stderr, so that stdout carries only output for scripts. On a
 * terminal the lines are coloured. JSON encoding prevents a line break in a value from starting a new line.
 */
export function createLogger(
  { logLevel }: { readonly logLevel: LevelWithSilent },
  destination?: DestinationStream,
): Logger {
  const options = { level: logLevel, base: null, redact: { paths: redact, censor: '[redacted]' } }
  if (destination) return pino(options, destination)
  if (process.stderr.isTTY)
    return pino(options, pretty({ destination: 2, translateTime: 'HH:MM:ss.l', sync: true }))
  return pino(options, pino.destination({ dest: 2, sync: true }))
}
