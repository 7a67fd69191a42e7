import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { captureModes } from '../../../contract/models/models.ts'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { useRealMe } from '../../lib/session/me.ts'
import { useDismissed } from '../../lib/state/dismissed.ts'
import { settingsQuery } from '../../shared/settings/settings.ts'
import { FormFailure } from '../../ui/dialog/FormFailure.tsx'
import styles from './first-run.module.css'

/**
 * Returns whether an admin has chosen what is captured; undefined while unknown. "Off" is the default of the
 * service, so that choice is stored in the browser.
 */
export function useCaptureChoice() {
  const me = useRealMe()
  const { data, error } = useQuery(settingsQuery)
  const { isDismissed, dismiss } = useDismissed('first-run-capture', me.id ?? me.username)
  const isChosen =
    data === undefined ? (error === null ? undefined : isDismissed) : isDismissed || 'capture' in data.updated
  return { isChosen, mode: data?.capture, keepOff: dismiss }
}

/** The three levels of capture, with what each stores. */
export function CaptureChoice({ keepOff }: { readonly keepOff: () => void }) {
  const id = useId()
  const queries = useQueryClient()
  const saving = useMutation({
    mutationFn: (capture: 'redacted' | 'full') => client.settings.update({ body: { capture } }),
    onSuccess: ({ data }) => {
      queries.setQueryData(settingsQuery.queryKey, data)
      void queries.invalidateQueries({ queryKey: ['audit'] })
    },
  })
  return (
    <>
      <ul className={styles['levels']}>
        {captureModes.map((mode) => (
          <li key={mode}>
            <Button
              variant="default"
              size="compact-xs"
              disabled={saving.isPending}
              loading={saving.isPending && saving.variables === mode}
              aria-describedby={`${id}-${mode}`}
              onClick={() => (mode === 'off' ? keepOff() : saving.mutate(mode))}
            >
              {t(`first_run:capture.choose_${mode}`)}
            </Button>
            <span id={`${id}-${mode}`}>{t(`first_run:capture.${mode}_text`)}</span>
          </li>
        ))}
      </ul>
      {saving.error !== null && <FormFailure error={saving.error} />}
    </>
  )
}
