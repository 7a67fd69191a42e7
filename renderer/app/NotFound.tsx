import { IconMapOff } from '@tabler/icons-react'
import { t } from '../lib/i18n.ts'
import { LinkButton } from '../ui/display/link/LinkButton.tsx'
import { EmptyState } from '../ui/feedback/EmptyState.tsx'

export function NotFound() {
  return (
    <EmptyState
      icon={<IconMapOff size={28} stroke={1.5} />}
      title={t('shell:not_found.title')}
      text={t('shell:not_found.text')}
      action={
        <LinkButton variant="default" to="/">
          {t('common:forbidden.home')}
        </LinkButton>
      }
    />
  )
}
