import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ImportReport } from '../../../contract/prompt-transfer.ts'
import { client } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { toast } from '../../ui/toast.ts'
import { WhyDisabled } from '../../ui/WhyDisabled.tsx'
import { ImportOptions } from './ImportOptions.tsx'
import { ImportPreview } from './ImportPreview.tsx'
import { ImportSource } from './ImportSource.tsx'
import { bodyOf, emptyImport, type ImportValues } from './import.ts'
import { refreshPrompts } from './prompts.queries.ts'

type Props = { readonly workspace: string | undefined; readonly onClose: () => void }

/** Files or pasted text → what would be made, changed and refused → all of it or nothing. */
export function ImportDialog({ workspace, onClose }: Props) {
  const queries = useQueryClient()
  const [values, setValues] = useState<ImportValues>({ ...emptyImport, workspace_id: workspace ?? 'default' })
  const [report, setReport] = useState<ImportReport | null>(null)
  const look = useMutation({
    mutationFn: async () =>
      (await client.promptTransfer.import({ body: { ...bodyOf(values), preview: true } })).data,
    onSuccess: setReport,
  })
  const apply = useMutation({
    mutationFn: async () => (await client.promptTransfer.import({ body: bodyOf(values) })).data,
    onSuccess: async ({ created, updated }) => {
      await Promise.all([refreshPrompts(queries), queries.invalidateQueries({ queryKey: ['workspace'] })])
      toast(t('prompts:import.done', { count: created + updated }))
      onClose()
    },
  })
  const change = (patch: Partial<ImportValues>): void => setValues({ ...values, ...patch })
  const hasFiles = values.files.length > 0 || values.pasted.trim() !== ''
  const count = report === null ? 0 : report.created + report.updated
  const whyNot =
    report === null
      ? null
      : report.refused > 0
        ? t('prompts:import.refused', { count: report.refused })
        : count === 0
          ? t('prompts:import.nothing')
          : null
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(report === null ? 'prompts:import.title' : 'prompts:import.preview_title')}
      size={report === null ? 620 : 900}
      closeOnClickOutside={!hasFiles}
      closeButtonProps={{ 'aria-label': t('common:close') }}
    >
      <Stack gap="lg">
        {report === null ? (
          <>
            <ImportSource values={values} onChange={change} />
            <ImportOptions values={values} onChange={change} />
          </>
        ) : (
          <ImportPreview report={report} />
        )}
        {look.isError && <ErrorState error={look.error} />}
        {apply.isError && <ErrorState error={apply.error} />}
        <Group justify="flex-end" gap="sm">
          {whyNot !== null && (
            <Text size="xs" c="dimmed" mr="auto" maw="52ch">
              {whyNot}
            </Text>
          )}
          {report === null ? (
            <>
              <Button variant="default" onClick={onClose}>
                {t('common:cancel')}
              </Button>
              <WhyDisabled reason={hasFiles ? null : t('prompts:import.choose_first')}>
                <Button loading={look.isPending} onClick={() => look.mutate()}>
                  {t('prompts:import.look')}
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
                {t('prompts:import.back')}
              </Button>
              <WhyDisabled reason={whyNot}>
                <Button loading={apply.isPending} onClick={() => apply.mutate()}>
                  {t('prompts:import.apply', { count })}
                </Button>
              </WhyDisabled>
            </>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}
