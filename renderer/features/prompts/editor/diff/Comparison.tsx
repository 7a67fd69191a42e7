import type { Prompt } from '../../../../../contract/prompts/prompt.ts'
import type { PromptVersion } from '../../../../../contract/prompts/prompt-versions.ts'
import { t } from '../../../../lib/i18n.ts'
import { ComparedSides } from '../../../../shared/resources/versions/ComparedSides.tsx'
import type { Sides, SidesPatch } from '../../../../shared/resources/versions/sides.ts'
import { Section } from '../../../../ui/page/Section.tsx'
import { ServerDiff } from './ServerDiff.tsx'

type Props = {
  readonly prompt: Prompt
  readonly versions: readonly PromptVersion[]
  readonly sides: Sides
  readonly onCompare: (patch: SidesPatch) => void
}

/** Width in pixels from which the sides are displayed next to each other; smaller than on wide pages. */
const sideBySideFrom = 760

/** A comparison of any two states of the prompt: versions, draft, served version or nothing. */
export function Comparison({ prompt, versions, sides, onCompare }: Props) {
  const { from, to } = sides
  const states = [
    ...(prompt.has_draft ? [{ value: 'draft', label: t('prompts:draft') }] : []),
    ...(prompt.served === null
      ? []
      : [{ value: 'served', label: t('prompt:versions.live_is', { version: prompt.served.version }) }]),
    ...versions.map(({ version }) => ({ value: version, label: version })),
  ]
  const nothing = { value: 'none', label: t('prompt:versions.nothing') }
  // A link may name a version that is not loaded, or a draft that was published since.
  const withChosen = (chosen: string) =>
    states.some(({ value }) => value === chosen) ? states : [{ value: chosen, label: chosen }, ...states]
  return (
    <Section
      title={t('prompt:versions.compare')}
      aside={
        <ComparedSides
          texts="prompt"
          sides={sides}
          choices={{
            from: from === 'none' ? [...states, nothing] : [...withChosen(from), nothing],
            to: withChosen(to),
          }}
          swapDisabledReason={from === 'none' ? t('prompt:versions.no_swap') : null}
          onCompare={onCompare}
        />
      }
    >
      {prompt.served === null && from === 'served' ? (
        <p className="note">{t('prompt:versions.none')}</p>
      ) : (
        <ServerDiff id={prompt.id} from={from} to={to} sideBySideFrom={sideBySideFrom} />
      )}
    </Section>
  )
}
