import '../../shared/transfer/transfer.texts.ts'
import { addTexts } from '../../lib/i18n.ts'
import prompts from '../../locales/en/prompts.json'

addTexts('prompts', prompts)
