import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import type { Settings } from '../../../../contract/system/settings.ts'
import { formatNumber } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { useUnsaved } from '../../../shared/editing/useUnsaved.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { DaysField, parseDays } from '../DaysField.tsx'
import { Fixed } from '../Fixed.tsx'
import { SettingsGroup } from '../SettingsGroup.tsx'
import { useSaveSettings } from '../useSaveSettings.ts'
import { DeletionPaused } from './DeletionPaused.tsx'

const captures = ['off', 'redacted', 'full'] as const

type Unsaved = { readonly typed: string | null; readonly chosen: Settings['capture'] | null }
const noChanges: Unsaved = { typed: null, chosen: null }

/** Retention of runs, and capture of their inputs and outputs. */
export function RunsGroup({ settings }: { readonly settings: Settings }) {
  const { run_retention_days: days, capture, fixed, updated } = settings
  const unsaved = useUnsaved('settings.runs', noChanges)
  const { typed, chosen } = unsaved.values
  const [isInvalid, setInvalid] = useState(false)
  const title = t('settings:runs.title')
  const reset = (): void => {
    setInvalid(false)
    saving.state.onReset()
  }
  const saving = useSaveSettings(title, unsaved)
  const isFixed = fixed.includes('run_retention_days')
  const newDays = parseDays(typed ?? String(days))
  const isDirty = (typed !== null && newDays !== days) || (chosen !== null && chosen !== capture)

  const save = async (): Promise<void> => {
    if (newDays === null) {
      setInvalid(true)
      document.getElementById('retention')?.focus()
      return
    }
    const isShorter = newDays < days
    const isConfirmed =
      !isShorter ||
      (await confirm({
        title: t('settings:runs.shorten_title', { count: newDays, days: formatNumber(newDays) }),
        body: t('settings:runs.shorten', {
          count: newDays,
          days: formatNumber(newDays),
          before: formatNumber(days),
        }),
        action: t('settings:runs.shorten_action', { count: newDays, days: formatNumber(newDays) }),
        isDangerous: true,
      }))
    if (!isConfirmed) return
    saving.mutate({
      ...(newDays === days ? {} : { run_retention_days: newDays }),
      ...(chosen === null || chosen === capture ? {} : { capture: chosen }),
    })
  }

  return (
    <SettingsGroup
      id="runs"
      title={title}
      purpose={t('settings:runs.purpose')}
      updated={[updated['run_retention_days'], updated['capture']]}
      saving={{
        isDirty,
        ...saving.state,
        onSave: () => void save(),
        onReset: reset,
      }}
    >
      <DeletionPaused />
      <DaysField
        id="retention"
        label={t('settings:runs.retention')}
        description={t('settings:runs.retention_help')}
        readOnly={isFixed}
        value={typed ?? String(days)}
        onChange={(text) => {
          unsaved.set({ typed: text })
          setInvalid(false)
        }}
        isInvalid={isInvalid}
      />
      {isFixed && <Fixed variable="RUN_RETENTION_DAYS" />}
      <Radio.Group
        label={t('settings:runs.capture')}
        value={chosen ?? capture}
        onChange={(value) => unsaved.set({ chosen: captures.find((mode) => mode === value) ?? null })}
      >
        <Stack gap="sm" mt="sm">
          {captures.map((value) => (
            <Radio
              key={value}
              value={value}
              label={t(`settings:runs.capture_${value}`)}
              description={t(`settings:runs.capture_${value}_help`)}
            />
          ))}
        </Stack>
      </Radio.Group>
    </SettingsGroup>
  )
}
