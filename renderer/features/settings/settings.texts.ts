import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/settings.json'

addTexts('settings', texts)
