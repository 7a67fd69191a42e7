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
import { useServeDisabledReason } from '../release/useServeDisabledReason.ts'
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
  const serveDisabledReason = useServeDisabledReason()(prompt)
  return (
    <TimelineFrame query={query} texts="prompt">
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
      {versions.map((version) => (
        <VersionEntry
          key={version.version}
          version={version}
          live={version.served ? t('prompt:versions.live') : null}
          sides={sides}
          onOpen={() => onCompare({ from: versionBefore(version.version), to: version.version })}
          origin={<Origin version={version} />}
        >
          <span className={styles['back']}>
            <LinkButton
              variant="subtle"
              size="compact-xs"
              leftSection={<IconFlask size={13} />}
              to="/playground"
              search={{ prompt: prompt.id, version: version.version }}
              aria-label={t('prompt:versions.try_named', { version: version.version })}
            >
              {t('prompt:versions.try')}
            </LinkButton>
            {!version.served && (
              <RollbackButton
                texts="prompt"
                version={version.version}
                disabledReason={serveDisabledReason}
                onClick={() => onRollBack(version.version)}
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
