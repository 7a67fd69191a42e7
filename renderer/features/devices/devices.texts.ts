import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/devices.json'

addTexts('devices', texts)
