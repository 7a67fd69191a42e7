import type { Settings } from '../../../contract/system/settings.ts'
import { t } from '../../lib/i18n.ts'
import { useUnsaved } from '../../shared/editing/useUnsaved.ts'
import { Textarea } from '../../ui/input/Textarea.tsx'
import { SettingsGroup } from './SettingsGroup.tsx'
import { useSaveSettings } from './useSaveSettings.ts'
import { modelsOfText, textOfModels } from './virtualModels.ts'

type Unsaved = { readonly text: string | null }
const noChanges: Unsaved = { text: null }

/** The virtual models of the gateway, with the models that are tried for each. */
export function VirtualModelsGroup({ settings }: { readonly settings: Settings }) {
  const current = textOfModels(settings.virtual_models)
  const unsaved = useUnsaved('settings.virtual_models', noChanges)
  const text = unsaved.values.text ?? current
  const parsed = modelsOfText(text)
  const title = t('settings:virtual_models.title')
  const saving = useSaveSettings(title, unsaved)
  return (
    <SettingsGroup
      id="virtual_models"
      title={title}
      purpose={t('settings:virtual_models.purpose')}
      updated={[settings.updated['virtual_models']]}
      saving={{
        isDirty: text !== current,
        ...saving.state,
        onSave: () => {
          if ('models' in parsed) saving.mutate({ virtual_models: parsed.models })
        },
      }}
    >
      <Textarea
        label={t('settings:virtual_models.list')}
        description={t('settings:virtual_models.help')}
        placeholder={t('settings:virtual_models.example')}
        styles={{ input: { fontFamily: 'var(--pd-font-mono)' } }}
        minRows={3}
        spellCheck={false}
        value={text}
        onChange={(event) => unsaved.set({ text: event.currentTarget.value })}
        error={'line' in parsed ? t('settings:virtual_models.invalid', { line: parsed.line }) : null}
      />
    </SettingsGroup>
  )
}
