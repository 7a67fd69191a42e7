import './pairing.texts.ts'
import { IconBrowser, IconCode, IconDeviceDesktop, IconTerminal2 } from '@tabler/icons-react'
import type { DeviceKind } from '../../../contract/accounts/devices.ts'
import { t } from '../../lib/i18n.ts'
import { Badge } from '../../ui/display/Badge.tsx'

const icons = { browser: IconBrowser, desktop: IconDeviceDesktop, sdk: IconCode, cli: IconTerminal2 } as const

export function KindBadge({ kind }: { readonly kind: DeviceKind }) {
  const Icon = icons[kind]
  return <Badge icon={<Icon size={13} />}>{t(`pairing:kind.${kind}`)}</Badge>
}
