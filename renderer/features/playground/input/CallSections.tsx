import { useMemo } from 'react'
import { t } from '../../../lib/i18n.ts'
import type { SetupErrors } from '../column/checks.ts'
import type { Setup } from '../playground.state.ts'
import type { PlaygroundSession } from '../session.ts'
import { CollapsibleSection } from './CollapsibleSection.tsx'
import { JsonField } from './JsonField.tsx'
import { parseSchema, parseTools } from './json.ts'

type Props = {
  readonly setup: Setup
  readonly change: PlaygroundSession['change']
  readonly errors: SetupErrors | null
}

/** The tools and the schema of the response that replace those of the text. */
export function CallSections({ setup, change, errors }: Props) {
  const toolCount = useMemo(() => parseTools(setup.tools).value?.length ?? 0, [setup.tools])
  return (
    <>
      <CollapsibleSection
        name="tools"
        title={t('playground:tools.title')}
        count={toolCount}
        isInitiallyClosed
        isForcedOpen={errors?.tools != null}
      >
        {setup.params.tools !== undefined && <p className="note">{t('playground:tools.replace')}</p>}
        <JsonField
          value={setup.tools}
          onChange={(tools) => change({ tools })}
          parse={parseTools}
          label={t('playground:tools.label')}
          help={t('playground:tools.help')}
          example={t('playground:tools.example')}
        />
      </CollapsibleSection>
      <CollapsibleSection
        name="schema"
        title={t('playground:schema.title')}
        count={setup.schema.trim() === '' ? 0 : 1}
        isInitiallyClosed
        isForcedOpen={errors?.schema != null}
      >
        {setup.params.response_format !== undefined && (
          <p className="note">{t('playground:schema.replace')}</p>
        )}
        <JsonField
          value={setup.schema}
          onChange={(schema) => change({ schema })}
          parse={parseSchema}
          label={t('playground:schema.label')}
          help={t('playground:schema.help')}
          example={t('playground:schema.example')}
        />
      </CollapsibleSection>
    </>
  )
}
