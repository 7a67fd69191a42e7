import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/overview.json'

addTexts('overview', texts)
