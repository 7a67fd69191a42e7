import { Button } from '@mantine/core'
import { IconArrowBackUp, IconFlask } from '@tabler/icons-react'
import type { Prompt } from '../../../../contract/prompt.ts'
import type { PromptVersion } from '../../../../contract/prompt-versions.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import { TimelineEntry } from '../../../shared/definitions/versions/TimelineEntry.tsx'
import { TimelineFrame, type VersionsQuery } from '../../../shared/definitions/versions/TimelineFrame.tsx'
import { EnvBadge } from '../../../shared/environments/EnvBadge.tsx'
import { versionBefore } from '../../../shared/releases/releases.ts'
import { Badge } from '../../../ui/display/Badge.tsx'
import { LinkButton } from '../../../ui/display/LinkButton.tsx'
import { useMayNotServe } from '../release/useMayServe.ts'
import styles from './versions.module.css'

type Props = {
  readonly prompt: Prompt
  readonly query: VersionsQuery
  readonly versions: readonly PromptVersion[]
  readonly from: string
  readonly to: string
  readonly onCompare: (sides: { from?: string | undefined; to: string }) => void
  readonly onRollBack: (version: string) => void
}

/** The draft and all versions, newest first. A click compares an entry with the one before it. */
export function Timeline({ prompt, query, versions, from, to, onCompare, onRollBack }: Props) {
  const mayNotServe = useMayNotServe()(prompt)
  return (
    <TimelineFrame
      query={query}
      isEmpty={versions.length === 0}
      label={t('prompt:versions.title')}
      older={t('prompt:versions.older')}
    >
      {prompt.has_draft && (
        <TimelineEntry
          version={null}
          isChosen={to === 'draft'}
          isPressed={to === 'draft'}
          onOpen={() => onCompare({ from: 'served', to: 'draft' })}
          title={<Badge tone="accent">{t('prompts:draft')}</Badge>}
          at={prompt.updated_at}
          by={prompt.updated_by}
        />
      )}
      {versions.map((one) => (
        <TimelineEntry
          key={one.version}
          version={one.version}
          isLive={one.served}
          isChosen={to === one.version || from === one.version}
          isPressed={to === one.version}
          onOpen={() => onCompare({ from: versionBefore(one.version), to: one.version })}
          title={
            <>
              <b className="mono">{one.version}</b>
              {one.served && <Badge tone="ok">{t('prompt:versions.live')}</Badge>}
            </>
          }
          at={one.created_at}
          message={one.message}
          by={one.created_by}
          origin={<Origin version={one} />}
        >
          <span className={styles['back']}>
            <LinkButton
              variant="subtle"
              size="compact-xs"
              leftSection={<IconFlask size={13} />}
              to="/playground"
              search={{ prompt: prompt.id, version: one.version }}
              aria-label={t('prompt:versions.try_named', { version: one.version })}
            >
              {t('prompt:versions.try')}
            </LinkButton>
            {!one.served && (
              <WhyDisabled reason={mayNotServe}>
                <Button
                  variant="subtle"
                  size="compact-xs"
                  leftSection={<IconArrowBackUp size={13} />}
                  aria-label={t('prompt:rollback.to', { version: one.version })}
                  onClick={() => onRollBack(one.version)}
                >
                  {t('prompt:rollback.button')}
                </Button>
              </WhyDisabled>
            )}
          </span>
        </TimelineEntry>
      ))}
    </TimelineFrame>
  )
}

/** The origin of a version; nothing for an ordinary publish. */
function Origin({ version: { kind, from } }: { readonly version: PromptVersion }) {
  if (kind === 'publish') return null
  if (from === null) return <span className="dimmed">{t(`prompt:versions.kind.${kind}`)}</span>
  return (
    <span className={styles['origin']}>
      {tNode(kind === 'rollback' ? 'prompt:versions.back_to' : 'prompt:versions.promoted', {
        version: <span className="mono">{from.version}</span>,
        env: <EnvBadge env={from.env} />,
      })}
    </span>
  )
}
