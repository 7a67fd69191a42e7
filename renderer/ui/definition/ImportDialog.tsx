import { Button, Group, Modal, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DefinitionImportReport } from '../../../contract/definition.ts'
import { t } from '../../lib/i18n.ts'
import { ErrorState } from '../ErrorState.tsx'
import { toast } from '../toast.ts'
import { WhyDisabled } from '../WhyDisabled.tsx'
import { WorkspaceField } from '../WorkspaceField.tsx'
import { callsOf, type Kind, refreshDefinitions } from './definition.ts'
import { ImportPreview } from './ImportPreview.tsx'
import { ImportSource } from './ImportSource.tsx'
import { bodyOf, emptyImport, existingWays, type ImportValues } from './import.ts'

type Props = { readonly kind: Kind; readonly workspace: string | undefined; readonly onClose: () => void }

/** Files or pasted text → what would be made, changed and refused → all of it or nothing. */
export function ImportDialog({ kind, workspace, onClose }: Props) {
  const queries = useQueryClient()
  const [values, setValues] = useState<ImportValues>({ ...emptyImport, workspace_id: workspace ?? 'default' })
  const [report, setReport] = useState<DefinitionImportReport | null>(null)
  const send = async (preview: boolean): Promise<DefinitionImportReport> =>
    (await callsOf(kind).import({ body: { ...bodyOf(values), preview } })).data
  const look = useMutation({ mutationFn: () => send(true), onSuccess: setReport })
  const apply = useMutation({
    mutationFn: () => send(false),
    onSuccess: async ({ created, updated }) => {
      await refreshDefinitions(queries, kind)
      toast(t(`definition:${kind}.imported`, { count: created + updated }))
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
        ? t('definition:import.refused', { count: report.refused })
        : count === 0
          ? t('definition:import.nothing')
          : null
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(report === null ? `definition:${kind}.import` : 'definition:import.preview_title')}
      size={report === null ? 620 : 900}
      closeOnClickOutside={!hasFiles}
      closeButtonProps={{ 'aria-label': t('common:close') }}
    >
      <Stack gap="lg">
        {report === null ? (
          <>
            <ImportSource values={values} onChange={change} />
            <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
              <WorkspaceField
                label={t('definition:field.workspace')}
                current={values.workspace_id}
                input={{
                  value: values.workspace_id,
                  onChange: (id: string | null) => change({ workspace_id: id ?? values.workspace_id }),
                }}
              />
              <TextInput
                label={t('definition:import.prefix')}
                placeholder={t('definition:import.prefix_none')}
                value={values.prefix}
                onChange={(event) => change({ prefix: event.currentTarget.value })}
                styles={{ input: { fontFamily: 'var(--pd-font-mono)' } }}
              />
              <NativeSelect
                label={t('definition:import.existing')}
                value={values.existing}
                onChange={(event) => {
                  const existing = existingWays.find((one) => one === event.currentTarget.value)
                  if (existing !== undefined) change({ existing })
                }}
                data={existingWays.map((way) => ({
                  value: way,
                  label: t(`definition:import.existing_${way}`),
                }))}
              />
            </SimpleGrid>
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
              <WhyDisabled reason={hasFiles ? null : t('definition:import.choose_first')}>
                <Button loading={look.isPending} onClick={() => look.mutate()}>
                  {t('definition:import.look')}
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
                {t('definition:import.back')}
              </Button>
              <WhyDisabled reason={whyNot}>
                <Button loading={apply.isPending} onClick={() => apply.mutate()}>
                  {t('definition:import.apply', { count })}
                </Button>
              </WhyDisabled>
            </>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}
