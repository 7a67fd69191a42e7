import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/clients.json'

addTexts('clients', texts)
