import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/alerts.json'

addTexts('alerts', texts)
