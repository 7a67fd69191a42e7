import { type Config, ConfigError } from '../config.ts'
import { isLoopbackAddress } from '../lib/remote-address.ts'
import { minServiceTokenLength } from './tokens/service-token.ts'

/** The built-in credentials that are still active. */
export type Defaults = { readonly password: boolean; readonly token: boolean }

const isLoopbackHost = (host: string) => host.toLowerCase() === 'localhost' || isLoopbackAddress(host)

/** Throws a `ConfigError` that lists every reason not to listen on `config.host`. */
export function checkBinding(
  config: Pick<Config, 'host' | 'serviceToken' | 'allowInsecureLan'>,
  defaults: Defaults,
): void {
  if (isLoopbackHost(config.host)) return
  const reasons: string[] = []
  if (defaults.password) {
    reasons.push('The default admin password is active. Start on loopback, sign in and change it.')
  }
  if (defaults.token) {
    reasons.push('The default service token is active. Set SERVICE_TOKEN to 32 or more random characters.')
  }
  if (config.serviceToken !== null && config.serviceToken.length < minServiceTokenLength) {
    reasons.push(
      `SERVICE_TOKEN is shorter than ${minServiceTokenLength} characters. Set a longer, random one.`,
    )
  }
  if (!config.allowInsecureLan) {
    reasons.push(
      'Plain HTTP exposes passwords on the network. Listen on loopback behind a TLS proxy, or set ALLOW_INSECURE_LAN=1 to accept the risk.',
    )
  }
  if (reasons.length > 0) throw new ConfigError(`HOST=${config.host} is refused:\n  ${reasons.join('\n  ')}`)
}
