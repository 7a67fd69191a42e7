import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { t, tNode } from '../../lib/i18n.ts'
import { useFormMutation } from '../../lib/service/useFormMutation.ts'
import { showOwnChange } from '../../lib/state/pausedRows.ts'
import { cancelConfirm, type OpenRequest } from './confirm.tsx'
import { Dialog } from './Dialog.tsx'
import { FormFailure } from './FormFailure.tsx'

type Props = { readonly request: OpenRequest }

/** Mantine's dialogs have a z-index of 200, its popovers 300. */
const aboveOtherDialogs = 310

/** The dialog of one confirmation. */
export function ConfirmDialog({ request }: Props) {
  return (
    <Dialog onClose={cancelConfirm} title={request.title} size={440} zIndex={aboveOtherDialogs}>
      <ConfirmBody request={request} />
    </Dialog>
  )
}

function ConfirmBody({ request }: Props) {
  const [typed, setTyped] = useState('')
  const {
    mutate,
    isPending,
    error: failure,
  } = useFormMutation({
    mutationFn: async () => request.run?.(),
    onSuccess: () => {
      showOwnChange()
      request.answer(true)
    },
  })
  const isMissing = request.requiredText !== undefined && typed.trim() !== request.requiredText
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!isMissing) mutate()
  }
  return (
    <form onSubmit={submit}>
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
        {failure !== null && <FormFailure error={failure} hasInput={false} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={cancelConfirm}>
            {t('common:cancel')}
          </Button>
          <Button
            type="submit"
            color={request.isDangerous === true ? 'red.9' : 'indigo'}
            loading={isPending}
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
