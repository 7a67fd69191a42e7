import { Tooltip } from '@mantine/core'
import { IconAlertTriangle, IconClock, IconShieldCheck, IconShieldQuestion } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { ChainState } from '../../../contract/system/audit.ts'
import { formatNumber } from '../../lib/format/format.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { Badge } from '../../ui/display/Badge.tsx'
import { Time } from '../../ui/display/Time.tsx'

/** A badge with the result of the last verification of the chain, such as "Chain verified 2 min ago ✓". */
export function ChainBadge({ chain }: { readonly chain: ChainState }) {
  const { status, unverifiable_before: before, verified_at: at } = chain
  const time = <Time at={at} />
  const checked = at !== null && <> {tNode('audit:chain.checked', { time })}</>
  if (status === null) {
    return (
      <WithTooltip explanation={t('audit:chain.why_never')}>
        <Badge icon={<IconClock size={13} />}>{t('audit:chain.never')}</Badge>
      </WithTooltip>
    )
  }
  if (status === 'unverifiable') {
    return (
      <WithTooltip
        explanation={
          <>
            {t('audit:chain.why_unverifiable')}
            {checked}
          </>
        }
      >
        <Badge tone="warn" icon={<IconShieldQuestion size={13} />}>
          {t('audit:chain.unverifiable', { id: formatNumber(before ?? 0) })}
        </Badge>
      </WithTooltip>
    )
  }
  return status === 'verified' ? (
    <WithTooltip explanation={t('audit:chain.why_ok')}>
      <Badge tone="ok" icon={<IconShieldCheck size={13} />}>
        <span>{tNode('audit:chain.verified', { time })}</span>
      </Badge>
    </WithTooltip>
  ) : (
    <WithTooltip
      explanation={
        <>
          {t('audit:chain.why_broken')}
          {checked}
        </>
      }
    >
      <Badge tone="bad" icon={<IconAlertTriangle size={13} />}>
        {t('audit:chain.broken')}
      </Badge>
    </WithTooltip>
  )
}

type TooltipProps = { readonly explanation: ReactNode; readonly children: ReactNode }

function WithTooltip({ explanation, children }: TooltipProps) {
  return (
    <Tooltip label={explanation}>
      <span data-testid="chain">{children}</span>
    </Tooltip>
  )
}
