import type { Settings } from '../../../../contract/system/settings.ts'
import { t } from '../../../lib/i18n.ts'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { LifetimeGroup } from './LifetimeGroup.tsx'

/** The settings that apply to new API tokens. */
export function TokenRules({ settings }: { readonly settings: Settings }) {
  return (
    <LifetimeGroup
      id="token_rules"
      settings={settings}
      fieldId="token-days"
      days="api_token_max_days"
      permission="api_tokens_may_create_admins"
      permissionTexts={{
        label: t('settings:token_rules.admins'),
        description: t('settings:token_rules.admins_help'),
      }}
      links={
        <LinkButton variant="default" size="xs" to="/tokens">
          {t('settings:token_rules.manage')}
        </LinkButton>
      }
    />
  )
}
