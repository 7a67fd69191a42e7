import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/pairing.json'

addTexts('pairing', texts)
