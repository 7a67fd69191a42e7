import type { Opened } from './base.ts'
import { SaveDraft } from './SaveDraft.tsx'
import { SavePrompt } from './SavePrompt.tsx'
import type { PlaygroundSession } from './session.ts'

type Props = {
  readonly session: PlaygroundSession
  readonly as: 'draft' | 'prompt'
  readonly opened: Opened
  readonly onClose: () => void
}

export function SaveDialogs({ session, as, opened, onClose }: Props) {
  if (as === 'prompt') return <SavePrompt session={session} prompt={opened.prompt} onClose={onClose} />
  return opened.prompt === undefined ? null : (
    <SaveDraft session={session} prompt={opened.prompt} onClose={onClose} />
  )
}
