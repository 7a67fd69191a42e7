import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/audit.json'

addTexts('audit', texts)
