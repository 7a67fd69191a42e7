import { t } from '../../../lib/i18n.ts'
import { type DisabledReason, useDisabledReason } from '../../../lib/session/me.ts'
import { RollbackButton } from '../../resources/versions/RollbackButton.tsx'
import type { Sides } from '../../resources/versions/sides.ts'
import { TimelineFrame, type VersionsQuery } from '../../resources/versions/TimelineFrame.tsx'
import { VersionEntry } from '../../resources/versions/VersionEntry.tsx'
import styles from '../definition.module.css'
import type { DefinitionVersion } from '../definition.ts'

type Props = {
  readonly query: VersionsQuery
  readonly versions: readonly DefinitionVersion[]
  readonly sides: Sides
  readonly rollbackDisabledReason: DisabledReason
  readonly onCompare: (sides: Sides) => void
  readonly onRollBack: (version: string) => void
}

/** All versions, newest first. A click compares a version with the one before it. */
export function Timeline({ query, versions, sides, rollbackDisabledReason, onCompare, onRollBack }: Props) {
  const writeDisabledReason = useDisabledReason()('resources.write')
  return (
    <TimelineFrame query={query} texts="definition">
      {versions.map((version, index) => (
        <VersionEntry
          key={version.version}
          version={version}
          live={version.current ? t('definition:versions.current') : null}
          sides={sides}
          onOpen={() =>
            onCompare({ from: versions[index + 1]?.version ?? version.version, to: version.version })
          }
          origin={<Origin version={version} />}
          hasActionSpace
        >
          {!version.current && (
            <RollbackButton
              texts="definition"
              className={styles['back']}
              version={version.version}
              disabledReason={writeDisabledReason ?? rollbackDisabledReason}
              onClick={() => onRollBack(version.version)}
            />
          )}
        </VersionEntry>
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
