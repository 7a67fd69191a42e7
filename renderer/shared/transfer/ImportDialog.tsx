import { Button, Group, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { useFormMutation } from '../../lib/service/useFormMutation.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { useDialogGuard } from '../../ui/dialog/useLeaveGuard.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { WhyDisabled } from '../access/WhyDisabled.tsx'
import { ImportSource } from './ImportSource.tsx'
import type { Imported, ImportValues, Report } from './import.ts'

type Props<V extends ImportValues, R extends Report<Imported>> = {
  readonly title: string
  readonly initial: V
  /** Extensions of accepted files, in the form of a file input. */
  readonly accepted: string
  /** The accepted formats as text for users. */
  readonly formats: string
  /** Sends the import. With `preview` the service only reports what it would do. */
  readonly send: (values: V, preview: boolean) => Promise<R>
  /** Called after the import with the number of created and changed items. The dialog then closes. */
  readonly onDone: (count: number) => Promise<void>
  readonly onClose: () => void
  /** Label of the button that imports this many items. */
  readonly apply: (count: number) => string
  /** Reason why nothing is imported if this many items are rejected. */
  readonly refused: (count: number) => string
  readonly options: (values: V, onChange: (patch: Partial<V>) => void) => ReactNode
  readonly preview: (report: R) => ReactNode
}

/**
 * Imports files or pasted text in two steps: a preview of what is created, changed and rejected, then all or
 * nothing.
 */
export function ImportDialog<V extends ImportValues, R extends Report<Imported>>(props: Props<V, R>) {
  const { send, onClose } = props
  const [values, setValues] = useState<V>(props.initial)
  const [report, setReport] = useState<R | null>(null)
  const previewing = useFormMutation({ mutationFn: () => send(values, true), onSuccess: setReport })
  const apply = useFormMutation({
    mutationFn: () => send(values, false),
    onSuccess: async ({ created, updated }) => {
      await props.onDone(created + updated)
      onClose()
    },
  })
  const change = (patch: Partial<V>): void => setValues({ ...values, ...patch })
  const changeSource = (patch: Partial<ImportValues>): void => setValues({ ...values, ...patch })
  const hasFiles = values.files.length > 0 || values.pasted.trim() !== ''
  const count = report === null ? 0 : report.created + report.updated
  const disabledReason = applyDisabledReason(report, props.refused)
  const guarded = useDialogGuard(() => hasFiles && !apply.isSuccess, apply.isPending, onClose)
  return (
    <Dialog
      {...guarded}
      title={report === null ? props.title : t('transfer:import.preview_title')}
      size={report === null ? 620 : 900}
    >
      <Stack gap="lg">
        {report === null ? (
          <>
            <ImportSource
              values={values}
              onChange={changeSource}
              accepted={props.accepted}
              formats={props.formats}
            />
            {props.options(values, change)}
          </>
        ) : (
          props.preview(report)
        )}
        {previewing.isError && <ErrorState error={previewing.error} />}
        {apply.isError && <ErrorState error={apply.error} />}
        <Group justify="flex-end" gap="sm">
          {disabledReason !== null && (
            <Text size="xs" c="dimmed" mr="auto" maw="52ch">
              {disabledReason}
            </Text>
          )}
          {report === null ? (
            <>
              <Button variant="default" onClick={() => guarded.onClose()}>
                {t('common:cancel')}
              </Button>
              <WhyDisabled reason={hasFiles ? null : t('transfer:import.choose_first')}>
                <Button loading={previewing.isPending} onClick={() => previewing.mutate()}>
                  {t('transfer:import.preview')}
                </Button>
              </WhyDisabled>
            </>
          ) : (
            <>
              <Button
                variant="default"
                onClick={() => {
                  apply.reset()
                  setReport(null)
                }}
              >
                {t('transfer:import.back')}
              </Button>
              <WhyDisabled reason={disabledReason}>
                <Button loading={apply.isPending} onClick={() => apply.mutate()}>
                  {props.apply(count)}
                </Button>
              </WhyDisabled>
            </>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

/** Returns the reason why a previewed import cannot be applied; null if it can, or before the preview. */
function applyDisabledReason(
  report: Pick<Report<Imported>, 'created' | 'updated' | 'refused'> | null,
  refused: (count: number) => string,
): string | null {
  if (report === null) return null
  if (report.refused > 0) return refused(report.refused)
  return report.created + report.updated === 0 ? t('transfer:import.nothing') : null
}
