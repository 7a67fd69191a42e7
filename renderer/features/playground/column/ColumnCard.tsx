import { ActionIcon, Autocomplete, NativeSelect, Skeleton, Tooltip } from '@mantine/core'
import { IconPlayerPlay, IconPlayerStop, IconX } from '@tabler/icons-react'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ProviderChoice } from '../../../../contract/models/provider-choice.ts'
import { t } from '../../../lib/i18n.ts'
import { useStore } from '../../../lib/state/store.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { NotConfigured } from '../NotConfigured.tsx'
import { versionLabelsQuery } from '../playground.queries.ts'
import type { Column, Result, Setup } from '../playground.state.ts'
import type { PlaygroundSession } from '../session.ts'
import styles from './column.module.css'
import { Outcome } from './Outcome.tsx'
import { ParametersButton } from './ParametersButton.tsx'
import { columnDisabledReason, providerOf } from './request.ts'
import { stopColumn } from './running.ts'

type Props = {
  readonly session: PlaygroundSession
  readonly column: Column
  readonly number: number
  readonly subject: Setup['subject']
  readonly providers: UseQueryResult<ProviderChoice[]>
  readonly onChange: (patch: Partial<Column>) => void
  readonly onRun: () => void
  /** Null for the only column, which cannot be removed. */
  readonly onRemove: (() => void) | null
}

/** A column of the Playground: one model, its settings and its response. */
export function ColumnCard({
  session,
  column,
  number,
  subject,
  providers,
  onChange,
  onRun,
  onRemove,
}: Props) {
  const result = useStore(session.resultOf(column.id))
  const choices = providers.data ?? []
  const choice = providerOf(column, choices)
  const disabledReason = providers.data === undefined ? null : columnDisabledReason(column, choice)
  const remove = t('playground:column.remove', { number })
  return (
    <article
      className={styles['column']}
      aria-label={t('playground:column.label', { number })}
      data-status={result?.status ?? 'none'}
      data-testid="column"
    >
      <div className={styles['columnHead']}>
        <div className={styles['line']}>
          <ProviderSelect column={column} number={number} choices={choices} onChange={onChange} />
          <ParametersButton
            number={number}
            typed={column.params}
            provider={choice?.name ?? column.provider}
            onChange={(params) => onChange({ params })}
          />
          <RunButton
            number={number}
            isRunning={result?.status === 'running'}
            disabledReason={disabledReason}
            onRun={onRun}
            onStop={() => stopColumn(session, column.id)}
          />
          {onRemove !== null && (
            <Tooltip label={remove}>
              <ActionIcon aria-label={remove} onClick={onRemove}>
                <IconX size={15} />
              </ActionIcon>
            </Tooltip>
          )}
        </div>
        <div className={styles['line']}>
          <Autocomplete
            size="xs"
            className={styles['grow'] ?? ''}
            classNames={{ input: styles['monoInput'] ?? '' }}
            aria-label={t('playground:column.model', { number })}
            placeholder={choice?.default_model ?? t('playground:column.model_name')}
            value={column.model}
            data={[...new Set(choice?.models ?? [])]}
            limit={50}
            maxLength={128}
            onChange={(model) => onChange({ model })}
          />
          {subject !== null && (
            <VersionOverride
              number={number}
              id={subject.id}
              value={column.version}
              onChange={(version) => onChange({ version })}
            />
          )}
        </div>
      </div>
      {providers.data === undefined ? (
        <NoProviders providers={providers} />
      ) : (
        <ResponseArea
          number={number}
          choice={choice}
          disabledReason={disabledReason}
          result={result}
          onRun={onRun}
        />
      )}
    </article>
  )
}

function optionLabel({ label, configured, status }: ProviderChoice): string {
  if (!configured) return t('playground:column.off', { name: label })
  return status === 'failing' ? t('playground:column.failing', { name: label }) : label
}

type ProviderSelectProps = Pick<Props, 'column' | 'number' | 'onChange'> & {
  readonly choices: readonly ProviderChoice[]
}

function ProviderSelect({ column, number, choices, onChange }: ProviderSelectProps) {
  const choice = providerOf(column, choices)
  return (
    <NativeSelect
      size="xs"
      className={styles['grow'] ?? ''}
      aria-label={t('playground:column.provider', { number })}
      value={choice?.name ?? column.provider}
      data={[
        ...(choice === undefined ? [{ value: column.provider, label: column.provider }] : []),
        ...choices.map((each) => ({ value: each.name, label: optionLabel(each) })),
      ]}
      onChange={(event) => onChange({ provider: event.currentTarget.value, model: '' })}
    />
  )
}

type ResponseProps = {
  readonly number: number
  readonly choice: ProviderChoice | undefined
  readonly disabledReason: string | null
  readonly result: Result | null
  readonly onRun: () => void
}

/** The response of the model, or the reason why there can be none. */
function ResponseArea({ number, choice, disabledReason, result, onRun }: ResponseProps) {
  const isNotConfigured = choice !== undefined && !choice.configured
  return (
    <>
      {isNotConfigured && <NotConfigured choice={choice} />}
      {!isNotConfigured && disabledReason !== null && (
        <p className={styles['columnError']}>{disabledReason}</p>
      )}
      {(!isNotConfigured || result !== null) && (
        <Outcome result={result} number={number} onRetry={disabledReason === null ? onRun : null} />
      )}
    </>
  )
}

function NoProviders({ providers }: Pick<Props, 'providers'>) {
  if (providers.error === null) return <Skeleton height={60} m={12} width="auto" />
  return <ErrorState error={providers.error} onRetry={() => void providers.refetch()} />
}

type RunButtonProps = {
  readonly number: number
  readonly isRunning: boolean
  /** The reason why the column cannot run; null if it can. */
  readonly disabledReason: string | null
  readonly onRun: () => void
  readonly onStop: () => void
}

function RunButton({ number, isRunning, disabledReason, onRun, onStop }: RunButtonProps) {
  const label = t(isRunning ? 'playground:column.stop' : 'playground:column.run', { number })
  if (isRunning)
    return (
      <Tooltip label={label}>
        <ActionIcon variant="light" color="indigo" aria-label={label} onClick={onStop}>
          <IconPlayerStop size={15} />
        </ActionIcon>
      </Tooltip>
    )
  if (disabledReason === null)
    return (
      <Tooltip label={label}>
        <ActionIcon variant="light" color="indigo" aria-label={label} onClick={onRun}>
          <IconPlayerPlay size={15} />
        </ActionIcon>
      </Tooltip>
    )
  return (
    <WhyDisabled reason={disabledReason}>
      <ActionIcon aria-label={label}>
        <IconPlayerPlay size={15} />
      </ActionIcon>
    </WhyDisabled>
  )
}

type OverrideProps = {
  readonly number: number
  readonly id: string
  readonly value: string | null
  readonly onChange: (version: string | null) => void
}

/** A select for the version that this column runs instead of the text in the prompt panel. */
function VersionOverride({ number, id, value, onChange }: OverrideProps) {
  const { data = [] } = useQuery(versionLabelsQuery(id))
  return (
    <NativeSelect
      size="xs"
      className={styles['override'] ?? ''}
      aria-label={t('playground:column.version', { number })}
      value={value ?? ''}
      data={[
        { value: '', label: t('playground:column.panel_text') },
        { value: 'draft', label: t('playground:source.draft') },
        ...data.map(({ version, served }) => ({
          value: version,
          label: served ? t('playground:source.live', { version }) : version,
        })),
      ]}
      onChange={(event) => onChange(event.currentTarget.value === '' ? null : event.currentTarget.value)}
    />
  )
}
