import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/traces.json'

addTexts('traces', texts)
