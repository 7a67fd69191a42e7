import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import type { Settings } from '../../../../contract/system/settings.ts'
import { formatNumber } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { useUnsaved } from '../../../lib/state/useDraft.ts'
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
  const [isRefused, setRefused] = useState(false)
  const title = t('settings:runs.title')
  const reset = (): void => {
    unsaved.reset()
    setRefused(false)
    saving.reset()
  }
  const saving = useSaveSettings({ group: title, onSaved: reset })
  const isFixed = fixed.includes('run_retention_days')
  const wanted = parseDays(typed ?? String(days))
  const isDirty = (typed !== null && wanted !== days) || (chosen !== null && chosen !== capture)

  const save = async (): Promise<void> => {
    if (wanted === null) {
      setRefused(true)
      document.getElementById('retention')?.focus()
      return
    }
    const isShorter = wanted < days
    const isConfirmed =
      !isShorter ||
      (await confirm({
        title: t('settings:runs.shorten_title', { days: formatNumber(wanted) }),
        body: t('settings:runs.shorten', { days: formatNumber(wanted), before: formatNumber(days) }),
        action: t('settings:runs.shorten_action', { days: formatNumber(wanted) }),
        isDangerous: true,
      }))
    if (!isConfirmed) return
    saving.mutate({
      ...(wanted === days ? {} : { run_retention_days: wanted }),
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
        isRestored: unsaved.isRestored,
        isPending: saving.isPending,
        error: saving.error,
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
          setRefused(false)
        }}
        isRefused={isRefused}
      />
      {isFixed && <Fixed variable="RUN_RETENTION_DAYS" />}
      <Radio.Group
        label={t('settings:runs.capture')}
        value={chosen ?? capture}
        onChange={(value) => unsaved.set({ chosen: captures.find((one) => one === value) ?? null })}
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
