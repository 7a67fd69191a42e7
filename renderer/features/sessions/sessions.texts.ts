import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/sessions.json'

addTexts('sessions', texts)
