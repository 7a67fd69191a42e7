import { NativeSelect } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Environment, environments } from '../../../../contract/common/environments.ts'
import type { PromptRow } from '../../../../contract/prompts/prompt-list.ts'
import { t } from '../../../lib/i18n.ts'
import { EnvBadge } from '../../../shared/environments/EnvBadge.tsx'
import { versionsQuery } from '../prompts.queries.ts'
import styles from './compare.module.css'

type Props = {
  readonly label: string
  /** The key in each of its environments. */
  readonly rows: readonly PromptRow[]
  readonly row: PromptRow
  /** `v3`, `draft` or `served`. */
  readonly state: string
  readonly onEnv: (env: Environment) => void
  readonly onState: (state: string) => void
}

/** One side of a comparison: an environment, and one of its versions or its draft. */
export function SidePicker({ label, rows, row, state, onEnv, onState }: Props) {
  const versions = useInfiniteQuery(versionsQuery(row.id)).data?.pages.flatMap((page) => page.data) ?? []
  const states = [
    ...(row.has_draft ? [{ value: 'draft', label: t('prompts:draft') }] : []),
    ...(row.served === null
      ? []
      : [{ value: 'served', label: t('prompt:versions.live_is', { version: row.served.version }) }]),
    ...versions.map(({ version }) => ({ value: version, label: version })),
  ]
  // A link may name a version that is not loaded.
  const options = states.some(({ value }) => value === state)
    ? states
    : [{ value: state, label: state }, ...states]
  const present = environments.filter((env) => rows.some((each) => each.env === env))
  return (
    <fieldset className={styles['side']}>
      <legend className={styles['legend']}>{label}</legend>
      <NativeSelect
        size="xs"
        aria-label={t('prompt:compare.env_of', { side: label })}
        value={row.env}
        data={[...present]}
        onChange={({ currentTarget: { value } }) => {
          const env = present.find((name) => name === value)
          if (env !== undefined) onEnv(env)
        }}
      />
      <NativeSelect
        size="xs"
        aria-label={t('prompt:compare.version_of', { side: label })}
        value={state}
        data={options}
        onChange={({ currentTarget: { value } }) => onState(value)}
      />
      <EnvBadge env={row.env} />
      <Link to="/prompts/$id" params={{ id: row.id }}>
        {t('prompt:promote.open')}
      </Link>
    </fieldset>
  )
}
