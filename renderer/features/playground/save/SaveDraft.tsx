import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { asApiError, client, invalidateEntities } from '../../../lib/service/api.ts'
import { useFormMutation } from '../../../lib/service/useFormMutation.ts'
import { EnvBadge } from '../../../shared/environments/EnvBadge.tsx'
import { promptQuery } from '../../../shared/prompts/prompt.queries.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { FormFailure } from '../../../ui/dialog/FormFailure.tsx'
import { Diff } from '../../../ui/diff/Diff.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { textPatch } from '../playground.state.ts'
import type { PlaygroundSession } from '../session.ts'

type Props = { readonly session: PlaygroundSession; readonly prompt: Prompt; readonly onClose: () => void }

const paramsText = (params: Prompt['params']): string => JSON.stringify(params, null, 2)

/** A dialog that saves the text as the draft of its prompt, with a diff of what it replaces. */
export function SaveDraft({ session, prompt, onClose }: Props) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  /** The displayed state that the text replaces. */
  const [base, setBase] = useState(prompt)
  const [isConflict, setConflict] = useState(false)
  const [{ content, chat, params }] = useState(() => session.setup.get())
  const draftBody = {
    params,
    ...(chat === null ? { type: 'text' as const, content } : { type: 'chat' as const, messages: chat }),
  }

  const save = async (isPublishing: boolean): Promise<void> => {
    const { data } = await client.prompts.update(
      { params: { id: base.id }, body: draftBody },
      { headers: { 'if-match': base.etag } },
    )
    const { queryKey } = promptQuery(data.id)
    // A reply to a request sent before the save must not overwrite the saved prompt.
    await queries.cancelQueries({ queryKey })
    queries.setQueryData(queryKey, data)
    session.change({
      subject: {
        id: data.id,
        key: data.key,
        version: data.has_draft ? 'draft' : (data.version ?? 'draft'),
      },
      ...textPatch(data.content, data.messages),
      params: data.params,
      declared: data.variables,
    })
    await invalidateEntities(queries, 'prompt', 'audit')
    onClose()
    toast(t('playground:save.saved', { key: data.key }))
    if (isPublishing) {
      void navigate({ to: '/prompts/$id', params: { id: data.id }, search: { open: 'publish' } })
    }
  }
  const saving = useFormMutation({
    mutationFn: async (isPublishing: boolean) => {
      try {
        await save(isPublishing)
      } catch (error) {
        if (asApiError(error)?.status !== 412) throw error
        setBase((await client.prompts.get({ params: { id: base.id } })).data)
        setConflict(true)
      }
    },
  })

  return (
    <Dialog onClose={onClose} size={960} title={t('playground:save.draft_title', { key: base.key })}>
      <Stack gap="lg">
        <Text size="sm" component="div">
          {isConflict
            ? tNode('playground:save.conflict', {
                user: (
                  <b>
                    <bdi>{base.updated_by}</bdi>
                  </b>
                ),
              })
            : tNode(base.has_draft ? 'playground:save.replaces_draft' : 'playground:save.over_live', {
                env: <EnvBadge env={base.env} />,
                version: <span className="mono">{base.version ?? t('playground:source.draft')}</span>,
              })}
        </Text>
        <Diff before={base.content} after={content} empty={t('playground:save.same')} />
        {paramsText(base.params) !== paramsText(params) && (
          <>
            <Text size="sm" fw={600}>
              {t('model:prompt_params.title')}
            </Text>
            <Diff before={paramsText(base.params)} after={paramsText(params)} />
          </>
        )}
        {saving.error !== null && <FormFailure error={saving.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button variant="default" loading={saving.isPending} onClick={() => saving.mutate(true)}>
            {t('playground:save.and_publish')}
          </Button>
          <Button loading={saving.isPending} onClick={() => saving.mutate(false)} data-autofocus>
            {t(isConflict ? 'playground:save.anyway' : 'playground:save.draft')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
