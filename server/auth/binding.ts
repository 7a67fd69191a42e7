import { type Config, ConfigError } from '../config.ts'
import { isLoopbackAddress } from '../lib/remote-address.ts'
import { minServiceTokenLength } from './tokens/service-token.ts'

/** The built-in credentials that are still active. */
export type Defaults = { readonly password: boolean; readonly token: boolean }

/** Returns true for an address or name that only this computer can reach. */
export const isLoopbackHost = (host: string): boolean =>
  host.toLowerCase() === 'localhost' || isLoopbackAddress(host)

type RefusalCode = 'default_password' | 'default_token' | 'short_token'

/** Returns why the credentials are too weak for a service that other devices can reach, and what to do. */
export function credentialRefusals(
  { serviceToken }: Pick<Config, 'serviceToken'>,
  defaults: Defaults,
): readonly { readonly code: RefusalCode; readonly message: string }[] {
  const refusals: { code: RefusalCode; message: string }[] = []
  if (defaults.password) {
    const message = 'The default admin password is active. Sign in on this computer and change it.'
    refusals.push({ code: 'default_password', message })
  }
  if (defaults.token) {
    const message =
      'The default service token is active. Create one under Settings › Service token, or set SERVICE_TOKEN to 32 or more random characters.'
    refusals.push({ code: 'default_token', message })
  }
  if (serviceToken !== null && serviceToken.length < minServiceTokenLength) {
    const message = `SERVICE_TOKEN is shorter than ${minServiceTokenLength} characters. Set a longer, random one.`
    refusals.push({ code: 'short_token', message })
  }
  return refusals
}

/** Throws a `ConfigError` that lists every reason not to listen on `config.host`. */
export function checkBinding(
  config: Pick<Config, 'host' | 'serviceToken' | 'allowInsecureLan'>,
  defaults: Defaults,
): void {
  if (isLoopbackHost(config.host)) return
  const reasons = credentialRefusals(config, defaults).map(({ message }) => message)
  if (!config.allowInsecureLan) {
    reasons.push(
      'Plain HTTP exposes passwords on the network. Listen on loopback and share the service with LAN=on, or behind a TLS proxy. ALLOW_INSECURE_LAN=1 accepts the risk.',
    )
  }
  if (reasons.length > 0) throw new ConfigError(`HOST=${config.host} is refused:\n  ${reasons.join('\n  ')}`)
}
