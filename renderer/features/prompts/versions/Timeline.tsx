import { IconFlask } from '@tabler/icons-react'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import type { PromptVersion } from '../../../../contract/prompts/prompt-versions.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { EnvBadge } from '../../../shared/environments/EnvBadge.tsx'
import { versionBefore } from '../../../shared/releases/releases.ts'
import { RollbackButton } from '../../../shared/resources/versions/RollbackButton.tsx'
import type { Sides } from '../../../shared/resources/versions/sides.ts'
import { TimelineEntry } from '../../../shared/resources/versions/TimelineEntry.tsx'
import { TimelineFrame, type VersionsQuery } from '../../../shared/resources/versions/TimelineFrame.tsx'
import { VersionEntry } from '../../../shared/resources/versions/VersionEntry.tsx'
import { Badge } from '../../../ui/display/Badge.tsx'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { useMayNotServe } from '../release/useMayServe.ts'
import styles from './versions.module.css'

type Props = {
  readonly prompt: Prompt
  readonly query: VersionsQuery
  readonly versions: readonly PromptVersion[]
  readonly sides: Sides
  readonly onCompare: (sides: Sides) => void
  readonly onRollBack: (version: string) => void
}

/** The draft and all versions, newest first. A click compares an entry with the one before it. */
export function Timeline({ prompt, query, versions, sides, onCompare, onRollBack }: Props) {
  const mayNotServe = useMayNotServe()(prompt)
  return (
    <TimelineFrame query={query} isEmpty={versions.length === 0} texts="prompt">
      {prompt.has_draft && (
        <TimelineEntry
          version={null}
          isChosen={sides.to === 'draft'}
          isPressed={sides.to === 'draft'}
          onOpen={() => onCompare({ from: 'served', to: 'draft' })}
          title={<Badge tone="accent">{t('prompts:draft')}</Badge>}
          at={prompt.updated_at}
          by={prompt.updated_by}
        />
      )}
      {versions.map((one) => (
        <VersionEntry
          key={one.version}
          version={one}
          live={one.served ? t('prompt:versions.live') : null}
          sides={sides}
          onOpen={() => onCompare({ from: versionBefore(one.version), to: one.version })}
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
              <RollbackButton
                texts="prompt"
                version={one.version}
                whyNot={mayNotServe}
                onClick={() => onRollBack(one.version)}
              />
            )}
          </span>
        </VersionEntry>
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
