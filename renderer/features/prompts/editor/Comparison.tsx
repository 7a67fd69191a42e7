import { ActionIcon, NativeSelect, Tooltip } from '@mantine/core'
import { IconArrowsLeftRight } from '@tabler/icons-react'
import type { Prompt } from '../../../../contract/prompt.ts'
import type { PromptVersion } from '../../../../contract/prompt-versions.ts'
import { t } from '../../../lib/i18n.ts'
import timeline from '../../../shared/definitions/versions/timeline.module.css'
import { Section } from '../../../ui/page/Section.tsx'
import styles from '../versions/versions.module.css'
import { ServerDiff } from './ServerDiff.tsx'

type Props = {
  readonly prompt: Prompt
  readonly versions: readonly PromptVersion[]
  readonly from: string
  readonly to: string
  readonly onCompare: (sides: { from?: string; to?: string }) => void
}

/** Width in pixels from which the sides are displayed next to each other; smaller than on wide pages. */
const sideBySideFrom = 760

/** A comparison of any two states of the prompt: versions, draft, served version or nothing. */
export function Comparison({ prompt, versions, from, to, onCompare }: Props) {
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
        <span className={timeline['sides']}>
          <NativeSelect
            size="xs"
            aria-label={t('prompt:versions.from')}
            value={from}
            data={from === 'none' ? [...states, nothing] : [...withChosen(from), nothing]}
            onChange={(event) => onCompare({ from: event.currentTarget.value })}
          />
          <Tooltip label={t(from === 'none' ? 'prompt:versions.no_swap' : 'prompt:versions.swap')}>
            <ActionIcon
              aria-label={t('prompt:versions.swap')}
              {...(from === 'none' && { 'data-disabled': true, 'aria-disabled': true })}
              onClick={() => {
                if (from !== 'none') onCompare({ from: to, to: from })
              }}
            >
              <IconArrowsLeftRight size={15} />
            </ActionIcon>
          </Tooltip>
          <NativeSelect
            size="xs"
            aria-label={t('prompt:versions.to')}
            value={to}
            data={withChosen(to)}
            onChange={(event) => onCompare({ to: event.currentTarget.value })}
          />
        </span>
      }
    >
      {prompt.served === null && from === 'served' ? (
        <p className={styles['note']}>{t('prompt:versions.none')}</p>
      ) : (
        <ServerDiff id={prompt.id} from={from} to={to} sideBySideFrom={sideBySideFrom} />
      )}
    </Section>
  )
}
