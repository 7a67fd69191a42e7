import { Button } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { t } from '../../../lib/i18n.ts'
import { useMayNot, type Verdict } from '../../../lib/session/me.ts'
import { Badge } from '../../../ui/display/Badge.tsx'
import { WhyDisabled } from '../../access/WhyDisabled.tsx'
import styles from '../definition.module.css'
import type { DefinitionVersion } from '../definition.ts'
import { TimelineEntry } from './TimelineEntry.tsx'
import { TimelineFrame, type VersionsQuery } from './TimelineFrame.tsx'

type Props = {
  readonly query: VersionsQuery
  readonly versions: readonly DefinitionVersion[]
  readonly from: string
  readonly to: string
  readonly whyNotBack: Verdict
  readonly onCompare: (sides: { from: string; to: string }) => void
  readonly onRollBack: (version: string) => void
}

/** All versions, newest first. A click compares a version with the one before it. */
export function Timeline({ query, versions, from, to, whyNotBack, onCompare, onRollBack }: Props) {
  const mayNotWrite = useMayNot()('resources.write')
  return (
    <TimelineFrame
      query={query}
      isEmpty={versions.length === 0}
      label={t('definition:versions.title')}
      older={t('definition:versions.older')}
    >
      {versions.map((one, index) => (
        <TimelineEntry
          key={one.version}
          version={one.version}
          isLive={one.current}
          isChosen={to === one.version || from === one.version}
          isPressed={to === one.version}
          onOpen={() => onCompare({ from: versions[index + 1]?.version ?? one.version, to: one.version })}
          title={
            <>
              <b className="mono">{one.version}</b>
              {one.current && <Badge tone="ok">{t('definition:versions.current')}</Badge>}
            </>
          }
          at={one.created_at}
          message={one.message}
          by={one.created_by}
          origin={<Origin version={one} />}
          hasActionSpace
        >
          {!one.current && (
            <WhyDisabled reason={mayNotWrite ?? whyNotBack}>
              <Button
                className={styles['back'] ?? ''}
                variant="subtle"
                size="compact-xs"
                leftSection={<IconArrowBackUp size={13} />}
                aria-label={t('definition:rollback.to', { version: one.version })}
                onClick={() => onRollBack(one.version)}
              >
                {t('definition:rollback.button')}
              </Button>
            </WhyDisabled>
          )}
        </TimelineEntry>
      ))}
    </TimelineFrame>
  )
}

/** Origin of a version, unless it was simply saved. */
function Origin({ version: { kind, from } }: { readonly version: DefinitionVersion }) {
  if (kind === 'update') return null
  return (
    <span className="dimmed">
      {from === null
        ? t(`definition:versions.kind.${kind}`)
        : t('definition:versions.back_to', { version: from })}
    </span>
  )
}
