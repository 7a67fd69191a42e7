import '../prompt.texts.ts'
import '../prompts.texts.ts'
import { ActionIcon, Skeleton, Tooltip } from '@mantine/core'
import { IconArrowsLeftRight } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { PromptRow } from '../../../../contract/prompts/prompt-list.ts'
import { t } from '../../../lib/i18n.ts'
import { type SetSearch, useSearchState } from '../../../lib/page/search.ts'
import { CopyLink } from '../../../ui/display/link/CopyLink.tsx'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { PageHeader } from '../../../ui/page/PageHeader.tsx'
import { ServerDiff } from '../editor/diff/ServerDiff.tsx'
import { siblingsQuery } from '../prompts.queries.ts'
import styles from './compare.module.css'
import { type CompareSearch, compareParams } from './compare.search.ts'
import { SidePicker } from './SidePicker.tsx'

/** The comparison of any two versions of any two environments of a key, which the address names. */
export function ComparePage() {
  const [search, setSearch] = useSearchState('/prompts/compare', compareParams)
  const { key = '', workspace = 'default' } = search
  const query = useQuery({ ...siblingsQuery({ key, workspace_id: workspace }), enabled: key !== '' })
  return (
    <Page>
      <PageHeader
        title={key === '' ? t('prompt:compare.title') : t('prompt:compare.title_of', { key })}
        purpose={t('prompt:compare.purpose')}
        actions={
          <>
            <LinkButton variant="default" to="/prompts">
              {t('prompt:gone.list')}
            </LinkButton>
            <CopyLink label={t('prompt:compare.copy_link')} variant="default" size={36} />
          </>
        }
      />
      {query.isError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined && key !== '' ? (
        <Skeleton height={200} />
      ) : (
        <Sides rows={query.data ?? []} search={search} setSearch={setSearch} />
      )}
    </Page>
  )
}

type SidesProps = {
  readonly rows: readonly PromptRow[]
  readonly search: CompareSearch
  readonly setSearch: SetSearch<CompareSearch>
}

/** Returns the state to compare: the requested one, else what is served, else the draft. */
const stateOf = (row: PromptRow, requested: string | undefined): string =>
  requested ?? (row.served === null ? 'draft' : 'served')

function Sides({ rows, search, setSearch }: SidesProps) {
  const from = rows.find(({ env }) => env === search.from_env) ?? rows.at(-1)
  const to = rows.find(({ env }) => env === search.to_env) ?? rows[0]
  if (from === undefined || to === undefined)
    return <EmptyState title={t('prompt:gone.title')} text={t('prompt:compare.none')} />
  const sides = {
    from_env: from.env,
    from: stateOf(from, search.from),
    to_env: to.env,
    to: stateOf(to, search.to),
  }
  const compare = (patch: Partial<CompareSearch>): void =>
    setSearch({ ...sides, ...patch }, { replace: true })
  return (
    <>
      <div className={styles['sides']}>
        <SidePicker
          label={t('prompt:versions.from')}
          rows={rows}
          row={from}
          state={sides.from}
          onEnv={(env) => compare({ from_env: env, from: undefined })}
          onState={(state) => compare({ from: state })}
        />
        <Tooltip label={t('prompt:versions.swap')}>
          <ActionIcon
            aria-label={t('prompt:versions.swap')}
            onClick={() =>
              compare({ from_env: sides.to_env, from: sides.to, to_env: sides.from_env, to: sides.from })
            }
          >
            <IconArrowsLeftRight size={15} />
          </ActionIcon>
        </Tooltip>
        <SidePicker
          label={t('prompt:versions.to')}
          rows={rows}
          row={to}
          state={sides.to}
          onEnv={(env) => compare({ to_env: env, to: undefined })}
          onState={(state) => compare({ to: state })}
        />
      </div>
      <ServerDiff id={from.id} from={sides.from} to={sides.to} toId={to.id} fromEnv={from.env} />
    </>
  )
}
