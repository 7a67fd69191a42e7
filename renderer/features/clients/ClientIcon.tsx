import { IconBrandNodejs, IconBrandPython, IconCoffee, IconWorld } from '@tabler/icons-react'
import type { ClientType } from '../../../contract/live/clients.ts'

const icons = {
  'node-sdk': IconBrandNodejs,
  'python-sdk': IconBrandPython,
  'java-sdk': IconCoffee,
  browser: IconWorld,
} as const satisfies Record<ClientType, unknown>

export function ClientIcon({ type }: { readonly type: ClientType }) {
  const Icon = icons[type]
  return <Icon size={16} stroke={1.75} style={{ flex: 'none' }} aria-hidden="true" />
}
