import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/views.json'

addTexts('views', texts)
