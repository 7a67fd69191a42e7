import '../../../shared/runs/runs.texts.ts'
import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { RunDetail } from '../../../../contract/runs/run.ts'
import { formatMoney, formatNumber, unknown } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { useSearchState } from '../../../lib/page/search.ts'
import { asText, conversationOf } from '../../../shared/runs/content/messages.ts'
import { figuresOf } from '../../../shared/runs/drawer/RunFigures.tsx'
import { runQuery } from '../../../shared/runs/drawer/run.queries.ts'
import { StatusBadge } from '../../../shared/runs/StatusBadge.tsx'
import { Diff } from '../../../ui/diff/Diff.tsx'
import { ClockTime } from '../../../ui/display/ClockTime.tsx'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { PageLoading } from '../../../ui/feedback/PageLoading.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { PageHeader } from '../../../ui/page/PageHeader.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import styles from '../runs.module.css'
import { compareSearch } from './compare.search.ts'

/** Two runs side by side: their figures, and the differences of input, output and parameters. */
export function ComparePage() {
  const [{ a = '', b = '' }] = useSearchState('/runs/compare', compareSearch)
  const queries = useQueries({ queries: [runQuery(a), runQuery(b)] })
  const [before, after] = queries.map(({ data }) => data)
  return (
    <Page>
      <PageHeader
        title={t('runs:compare.title', { a, b })}
        purpose={t('runs:compare.purpose')}
        actions={
          <>
            <LinkButton variant="default" to="/runs/compare" search={{ a: b, b: a }} replace>
              {t('runs:compare.swap')}
            </LinkButton>
            <LinkButton variant="default" to="/runs/{-$id}">
              {t('runs:compare.all')}
            </LinkButton>
          </>
        }
      />
      <Comparison before={before} after={after} queries={queries} />
    </Page>
  )
}

type Props = {
  readonly before: RunDetail | undefined
  readonly after: RunDetail | undefined
  readonly queries: readonly Pick<UseQueryResult, 'isPending' | 'error' | 'refetch'>[]
}

function Comparison({ before, after, queries }: Props) {
  const failed = queries.find(({ error }) => error !== null)
  if (failed !== undefined) return <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
  if (before === undefined || after === undefined) return <PageLoading />
  return (
    <>
      <FigureTable before={before} after={after} />
      <DiffSection title={t('runs:field.output')} before={before.output} after={after.output} />
      <DiffSection title={t('runs:field.input')} before={textOf(before.input)} after={textOf(after.input)} />
      <DiffSection title={t('runs:field.params')} before={before.params} after={after.params} />
      {(before.error !== null || after.error !== null) && (
        <DiffSection title={t('runs:field.error')} before={before.error} after={after.error} />
      )}
    </>
  )
}

/** Returns a captured input as text: each message after its role, anything else as JSON. */
function textOf(input: unknown): string | null {
  if (input === null) return null
  const conversation = conversationOf(input)
  if (conversation === null) return asText(input)
  const { messages, rest } = conversation
  return [
    ...messages.map(({ role, text, tools, others }) => {
      const parts = [
        ...tools.map(({ kind, name, value }) => `${kind} ${name} ${asText(value)}`),
        ...others.map(asText),
      ]
      return [`${role}:`, text, ...parts].filter((part) => part !== '').join('\n')
    }),
    ...(rest === null ? [] : [asText(rest)]),
  ].join('\n\n')
}

type DiffSectionProps = { readonly title: string; readonly before: unknown; readonly after: unknown }

function DiffSection({ title, before, after }: DiffSectionProps) {
  const isMissing = before === null && after === null
  return (
    <Section title={title}>
      {isMissing ? (
        <p className={styles['note']}>{t('runs:compare.missing')}</p>
      ) : (
        <Diff before={before} after={after} empty={t('runs:compare.same')} />
      )}
    </Section>
  )
}

type Row = readonly [label: string, before: ReactNode, after: ReactNode, difference?: string]

/** Returns the difference of two numbers as text; empty if one is unknown. */
function differenceOf(
  before: number | null,
  after: number | null,
  format: (value: number) => string = formatNumber,
): string {
  if (before === null || after === null || before === after) return ''
  return `${after < before ? '−' : '+'}${format(Math.abs(after - before))}`
}

/** Key facts and figures of both runs, with the differences. */
function FigureTable({ before, after }: { readonly before: RunDetail; readonly after: RunDetail }) {
  const afterFigures = figuresOf(after)
  const milliseconds = (value: number): string => t('runs:compare.ms', { value: formatNumber(value) })
  const differences = [
    differenceOf(before.latency_ms, after.latency_ms, milliseconds),
    differenceOf(before.ttft_ms, after.ttft_ms, milliseconds),
    differenceOf(before.prompt_tokens, after.prompt_tokens),
    differenceOf(before.output_tokens, after.output_tokens),
    differenceOf(before.total_tokens, after.total_tokens),
    differenceOf(before.cost_usd, after.cost_usd, formatMoney),
  ]
  const mono = (text: string | null) => <bdi className="mono">{text ?? unknown}</bdi>
  const rows: readonly Row[] = [
    [
      t('runs:field.time'),
      <ClockTime key="before" at={before.created_at} />,
      <ClockTime key="after" at={after.created_at} />,
    ],
    [
      t('runs:field.status'),
      <StatusBadge key="before" status={before.status} />,
      <StatusBadge key="after" status={after.status} />,
    ],
    [t('runs:field.key'), mono(before.ref_key), mono(after.ref_key)],
    [t('runs:field.version'), mono(before.version), mono(after.version)],
    [t('runs:field.env'), mono(before.env), mono(after.env)],
    [t('runs:field.provider'), mono(before.provider), mono(after.provider)],
    [t('runs:field.model'), mono(before.model), mono(after.model)],
    ...figuresOf(before).map(
      ([label, value], index): Row => [label, value, afterFigures[index]?.[1], differences[index] ?? ''],
    ),
  ]
  const head = (run: RunDetail) => (
    <th scope="col">
      <Link to="/runs/{-$id}" params={{ id: String(run.id) }} search={{ period: 'all' }}>
        {t('runs:one', { id: run.id })}
      </Link>
    </th>
  )
  return (
    <div className={styles['compareFrame']}>
      <table className={styles['compare']} aria-label={t('runs:compare.figures')}>
        <thead>
          <tr>
            <td />
            {head(before)}
            {head(after)}
            <th scope="col">{t('runs:compare.difference')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([label, left, right, difference = '']) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{left}</td>
              <td>{right}</td>
              <td className="tabular">{difference}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
