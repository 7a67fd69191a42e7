import { Alert, Button, Group, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { asApiError } from '../../../lib/service/api.ts'
import { useFormMutation } from '../../../lib/service/useFormMutation.ts'
import type { DisabledReason } from '../../../lib/session/me.ts'
import { useDraft } from '../../../lib/state/useDraft.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import { promptQuery } from '../../../shared/prompts/prompt.queries.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { FormFailure } from '../../../ui/dialog/FormFailure.tsx'
import { useDialogGuard } from '../../../ui/dialog/useLeaveGuard.ts'
import { Time } from '../../../ui/display/Time.tsx'
import { Textarea } from '../../../ui/input/Textarea.tsx'
import { Convergence } from '../clients/Convergence.tsx'
import { refreshPrompts } from '../prompts.queries.ts'

type Props = {
  readonly title: string
  /** The expected changes and the clients they reach. */
  readonly children: ReactNode
  readonly action: string
  /** Serves another version and resolves to the prompt whose clients will receive it. */
  readonly run: (
    body: { readonly message?: string },
    options: { readonly headers: { readonly 'if-match': string } },
  ) => Promise<{ readonly data: Prompt }>
  /**
   * The displayed state. `run` requires this state (`If-Match`), so that no user releases changes that the
   * dialog did not display.
   */
  readonly subject: Pick<Prompt, 'key' | 'updated_by' | 'updated_at' | 'etag'>
  /** Called if the subject was changed by someone else; must load the current state. */
  readonly onStale: () => Promise<void>
  /** Returns the title of the dialog after the release. */
  readonly done: (prompt: Prompt) => string
  readonly disabledReason?: DisabledReason
  readonly onClose: () => void
}

/**
 * The frame of the dialogs to publish, roll back and promote: review, message, release, then live
 * convergence.
 */
export function ReleaseDialog(props: Props) {
  const { title, children, action, run, subject, onStale, done, disabledReason = null, onClose } = props
  const queries = useQueryClient()
  const restored = useDraft(`release.${subject.key}`, (): { readonly message: string } | null =>
    message === '' || release.data !== undefined ? null : { message },
  )
  const [message, setMessage] = useState(restored?.message ?? '')
  const release = useFormMutation({
    mutationFn: async () => {
      try {
        const body = message.trim() === '' ? {} : { message: message.trim() }
        return (await run(body, { headers: { 'if-match': subject.etag } })).data
      } catch (error) {
        if (isStale(error)) await onStale()
        throw error
      }
    },
    onSuccess: async (released) => {
      queries.setQueryData(promptQuery(released.id).queryKey, released)
      await refreshPrompts(queries)
    },
  })
  const failure = release.error
  const released = release.data
  const guarded = useDialogGuard(() => message !== '' && released === undefined, release.isPending, onClose)
  return (
    <Dialog
      {...guarded}
      title={released === undefined ? title : done(released)}
      size={released === undefined ? 1060 : 720}
    >
      {released !== undefined ? (
        <Stack gap="lg">
          <Convergence id={released.id} version={released.version} />
          <Group justify="flex-end">
            <Button onClick={onClose} data-autofocus>
              {t('prompt:release.close')}
            </Button>
          </Group>
        </Stack>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (disabledReason === null && !release.isPending) release.mutate()
          }}
        >
          <Stack gap="lg">
            {restored !== null && <div className="dimmed">{t('common:form.restored')}</div>}
            {children}
            <Textarea
              label={t('prompt:release.message')}
              description={t('prompt:release.message_help')}
              value={message}
              onChange={(event) => setMessage(event.currentTarget.value)}
              maxLength={1000}
              maxRows={5}
              data-autofocus
            />
            {failure !== null && <Failure error={failure} subject={subject} />}
            <Group justify="flex-end" gap="sm">
              <Button variant="default" onClick={() => guarded.onClose()}>
                {t('common:cancel')}
              </Button>
              <WhyDisabled reason={disabledReason}>
                <Button type="submit" loading={release.isPending}>
                  {action}
                </Button>
              </WhyDisabled>
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  )
}

const isStale = (error: unknown): boolean => asApiError(error)?.status === 412

/**
 * The reason why the release failed. After a conflict it names the other user, and the dialog displays the
 * new state.
 */
function Failure({ error, subject }: { readonly error: unknown; readonly subject: Props['subject'] }) {
  if (isStale(error)) {
    return (
      <Alert color="yellow" variant="light" role="alert" title={t('prompt:release.stale_title')}>
        {tNode('prompt:release.stale', {
          user: (
            <b>
              <bdi>{subject.updated_by}</bdi>
            </b>
          ),
          key: <b className="mono">{subject.key}</b>,
          time: <Time at={subject.updated_at} />,
        })}
      </Alert>
    )
  }
  return <FormFailure error={error} />
}
