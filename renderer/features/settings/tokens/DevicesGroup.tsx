import type { Settings } from '../../../../contract/system/settings.ts'
import { t } from '../../../lib/i18n.ts'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { LifetimeGroup } from './LifetimeGroup.tsx'

/** The settings that apply to paired devices. */
export function DevicesGroup({ settings }: { readonly settings: Settings }) {
  return (
    <LifetimeGroup
      id="devices"
      settings={settings}
      fieldId="device-days"
      days="device_days"
      permission="lan_password_sign_in"
      permissionTexts={{
        label: t('settings:devices.sign_in'),
        description: t('settings:devices.sign_in_help'),
      }}
      links={
        <>
          <LinkButton variant="default" size="xs" to="/devices" state={{ add: 'device' }}>
            {t('settings:devices.add')}
          </LinkButton>
          <LinkButton variant="default" size="xs" to="/devices">
            {t('settings:devices.manage')}
          </LinkButton>
        </>
      }
    />
  )
}
