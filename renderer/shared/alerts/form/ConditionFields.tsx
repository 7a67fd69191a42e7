import { NativeSelect, Select, TagsInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import {
  type AlertFilterName,
  type AlertKind,
  alertKinds,
  kindFacts,
  latencyStatistics,
} from '../../../../contract/alerts/alert.ts'
import { t } from '../../../lib/i18n.ts'
import { runNamesQuery } from '../../runs/runNames.ts'
import { formatPeriod } from '../wording.ts'
import styles from './form.module.css'
import { type AlertValues, defaultThresholds } from './values.ts'

type Props = {
  readonly form: UseFormReturnType<AlertValues>
  /** False: the kind cannot be changed. */
  readonly isNew: boolean
  readonly workspaces: readonly { readonly value: string; readonly label: string }[]
}

const periods = [5, 10, 15, 30, 60, 180, 360, 720, 1440]

/** The fields that define when an alert fires. */
export function ConditionFields({ form, isNew, workspaces }: Props) {
  const { kind, period_minutes } = form.getValues()
  const { unit, filters, hasMinRuns } = kindFacts[kind]
  const { data: names } = useQuery(runNamesQuery)
  const suggestions: Readonly<Record<AlertFilterName, readonly string[]>> = {
    source: names?.sources ?? [],
    provider: names?.providers ?? [],
    model: names?.models ?? [],
    ref_key: names?.keys ?? [],
  }
  const minutes = [...new Set([...periods, Number(period_minutes)])].sort((a, b) => a - b)
  return (
    <div className={styles['pair']}>
      <NativeSelect
        {...form.getInputProps('kind')}
        label={t('alerts:form.kind')}
        disabled={!isNew}
        data-autofocus={isNew || undefined}
        onChange={(event) => {
          const next = event.currentTarget.value as AlertKind
          form.setFieldValue('kind', next)
          form.setFieldValue('threshold', String(defaultThresholds[next]))
        }}
        data={alertKinds.map((value) => ({ value, label: t(`alerts:kind.${value}`) }))}
      />
      {kind === 'latency' ? (
        <NativeSelect
          {...form.getInputProps('statistic')}
          label={t('alerts:form.statistic')}
          data={latencyStatistics.map((value) => ({ value, label: t(`alerts:statistic.${value}`) }))}
        />
      ) : (
        <span />
      )}
      <TextInput
        {...form.getInputProps('threshold')}
        label={t('alerts:form.threshold')}
        inputMode="decimal"
        autoComplete="off"
        rightSection={<span className={styles['unit']}>{t(`alerts:unit.${unit}`)}</span>}
        rightSectionWidth={unit === 'calls' ? 84 : 60}
      />
      <NativeSelect
        {...form.getInputProps('period_minutes')}
        label={t('alerts:form.period')}
        data={minutes.map((value) => ({ value: String(value), label: formatPeriod(value) }))}
      />
      <Select
        {...form.getInputProps('workspace')}
        label={t('alerts:form.workspace')}
        data={workspaces}
        searchable={workspaces.length > 8}
      />
      {hasMinRuns ? (
        <TextInput
          {...form.getInputProps('min_runs')}
          label={t('alerts:form.min_runs')}
          description={t('alerts:form.min_runs_help')}
          inputMode="numeric"
          maxLength={6}
          autoComplete="off"
        />
      ) : (
        <span />
      )}
      {filters.map((name) => (
        <TagsInput
          key={name}
          {...form.getInputProps(`filters.${name}`)}
          label={t(`alerts:form.${name}`)}
          placeholder={form.getValues().filters[name].length === 0 ? t('alerts:form.any') : ''}
          data={[...suggestions[name]]}
          acceptValueOnBlur
          maxTags={50}
        />
      ))}
    </div>
  )
}
