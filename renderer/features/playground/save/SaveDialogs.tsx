import type { OpenedPrompt } from '../input/base.ts'
import type { PlaygroundSession } from '../session.ts'
import { SaveAgent } from './SaveAgent.tsx'
import { SaveDraft } from './SaveDraft.tsx'
import { SavePrompt } from './SavePrompt.tsx'

type Props = {
  readonly session: PlaygroundSession
  readonly as: 'draft' | 'prompt' | 'agent'
  readonly opened: OpenedPrompt
  readonly onClose: () => void
}

export function SaveDialogs({ session, as, opened, onClose }: Props) {
  if (as === 'prompt') return <SavePrompt session={session} prompt={opened.prompt} onClose={onClose} />
  if (as === 'agent') return <SaveAgent session={session} opened={opened} onClose={onClose} />
  return opened.prompt === undefined ? null : (
    <SaveDraft session={session} prompt={opened.prompt} onClose={onClose} />
  )
}
