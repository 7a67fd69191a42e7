import { Button, CloseButton, FileButton, Group, Stack, Text } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useRef } from 'react'
import { t } from '../../lib/i18n.ts'
import { Textarea } from '../../ui/input/Textarea.tsx'
import styles from './import.module.css'
import type { ImportValues } from './import.ts'

type Props = {
  readonly values: ImportValues
  readonly onChange: (patch: Partial<ImportValues>) => void
  /** Extensions of accepted files, in the form of a file input. */
  readonly accepted: string
  /** The accepted formats as text for users. */
  readonly formats: string
}

/** Selects files from this machine, or pasted text. */
export function ImportSource({ values, onChange, accepted, formats }: Props) {
  const reset = useRef<() => void>(null)
  const add = async (chosen: File[]): Promise<void> => {
    const added = await Promise.all(
      chosen.map(async (file) => ({ name: file.name, content: await file.text() })),
    )
    const names = new Set(added.map(({ name }) => name))
    onChange({ files: [...values.files.filter(({ name }) => !names.has(name)), ...added] })
    reset.current?.()
  }
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <FileButton multiple accept={accepted} resetRef={reset} onChange={(files) => void add(files)}>
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconUpload size={14} />} data-autofocus>
              {t('transfer:import.files')}
            </Button>
          )}
        </FileButton>
        <Text size="xs" c="dimmed">
          {formats}
        </Text>
      </Group>
      {values.files.length > 0 && (
        <ul className={styles['files']} aria-label={t('transfer:import.chosen')}>
          {values.files.map((file) => (
            <li key={file.name}>
              <bdi className="mono truncate">{file.name}</bdi>
              <CloseButton
                size="xs"
                aria-label={t('transfer:import.remove', { name: file.name })}
                onClick={() => onChange({ files: values.files.filter((other) => other !== file) })}
              />
            </li>
          ))}
        </ul>
      )}
      <Textarea
        label={t('transfer:import.paste')}
        value={values.pasted}
        onChange={(event) => onChange({ pasted: event.currentTarget.value })}
        minRows={5}
        styles={{ input: { fontFamily: 'var(--pd-font-mono)', fontSize: 12 } }}
        spellCheck={false}
      />
    </Stack>
  )
}
