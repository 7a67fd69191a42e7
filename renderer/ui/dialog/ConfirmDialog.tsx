import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { t, tNode } from '../../lib/i18n.ts'
import { asApiError } from '../../lib/service/api.ts'
import { showOwnChange } from '../../lib/state/pausedRows.ts'
import type { OpenRequest } from './confirm.tsx'
import { Dialog } from './Dialog.tsx'

type Props = { readonly request: OpenRequest }

/** Mantine's dialogs have a z-index of 200, its popovers 300. */
const aboveOtherDialogs = 310

/** The dialog of one confirmation. */
export function ConfirmDialog({ request }: Props) {
  return (
    <Dialog onClose={() => request.answer(false)} title={request.title} size={440} zIndex={aboveOtherDialogs}>
      <ConfirmBody request={request} />
    </Dialog>
  )
}

function ConfirmBody({ request }: Props) {
  const [typed, setTyped] = useState('')
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const isMissing = request.requiredText !== undefined && typed.trim() !== request.requiredText
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (isMissing || isRunning) return
    setRunning(true)
    setFailure(null)
    try {
      await request.run?.()
      showOwnChange()
      request.answer(true)
    } catch (error) {
      setFailure(error)
      setRunning(false)
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="lg">
        <Text component="div" size="sm">
          {request.body}
        </Text>
        {request.requiredText !== undefined && (
          <TextInput
            data-autofocus
            label={tNode('common:confirm.type', { name: <b>{request.requiredText}</b> })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
          />
        )}
        {failure !== null && (
          <Alert color="red" variant="light" role="alert">
            {asApiError(failure)?.message ?? t('common:error.unknown')}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={() => request.answer(false)}>
            {t('common:cancel')}
          </Button>
          <Button
            type="submit"
            color={request.isDangerous === true ? 'red.9' : 'indigo'}
            loading={isRunning}
            data-autofocus={request.requiredText === undefined || undefined}
            {...(isMissing ? { 'data-disabled': true, 'aria-disabled': true } : {})}
          >
            {request.action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
