import { t } from '../../lib/i18n.ts'
import { SampleDataButton } from '../../shared/sample-data/SampleDataButton.tsx'
import { SettingsGroup } from './SettingsGroup.tsx'

/** The settings group in which an admin creates or deletes the sample data. */
export function SampleDataGroup() {
  return (
    <SettingsGroup id="sample" title={t('settings:sample.title')} purpose={t('settings:sample.purpose')}>
      <div>
        <SampleDataButton />
      </div>
    </SettingsGroup>
  )
}
