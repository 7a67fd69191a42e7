import { z } from 'zod'
import { whole } from './config-values.ts'

/** The environment variables of sharing on the local network. Null: the setting applies. */
export type LanConfig = {
  readonly isOn: boolean | null
  readonly port: number | null
  readonly interfaces: readonly string[] | null
  readonly name: string | null
  readonly isDiscoverable: boolean | null
  /** The operator's own certificate; null: the local authority. */
  readonly own: { readonly cert: string; readonly key: string } | null
}

const Switch = z.enum(['on', 'off', '1', '0', 'true', 'false'])

export const lanVariables = {
  LAN: Switch.optional(),
  LAN_PORT: whole(0, 65_535).optional(),
  LAN_INTERFACES: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(z.string().min(1, 'expected names of interfaces or addresses, separated by commas')))
    .optional(),
  LAN_NAME: z.string().trim().min(1).max(63).optional(),
  LAN_DISCOVERY: Switch.optional(),
  TLS_CERT: z.string().min(1).optional(),
  TLS_KEY: z.string().min(1).optional(),
}

type Values = z.output<z.ZodObject<typeof lanVariables>>

/** Returns a message if only one of the variables TLS_CERT and TLS_KEY is set. */
export function pairFailures(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const [cert, key] = [env['TLS_CERT'] !== undefined, env['TLS_KEY'] !== undefined]
  if (cert === key) return []
  const [present, missing] = cert ? ['TLS_CERT', 'TLS_KEY'] : ['TLS_KEY', 'TLS_CERT']
  return [`${missing}: required, because ${present} is set`]
}

const switchOf = (value: z.output<typeof Switch> | undefined): boolean | null =>
  value === undefined ? null : ['on', '1', 'true'].includes(value)

export const lanConfigOf = (values: Values): LanConfig => ({
  isOn: switchOf(values.LAN),
  port: values.LAN_PORT ?? null,
  interfaces: values.LAN_INTERFACES ?? null,
  name: values.LAN_NAME ?? null,
  isDiscoverable: switchOf(values.LAN_DISCOVERY),
  own:
    values.TLS_CERT === undefined || values.TLS_KEY === undefined
      ? null
      : { cert: values.TLS_CERT, key: values.TLS_KEY },
})
