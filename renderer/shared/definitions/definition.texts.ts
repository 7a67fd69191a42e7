import '../transfer/transfer.texts.ts'
import '../runs/latestRuns.texts.ts'
import { addTexts } from '../../lib/i18n.ts'
import definition from '../../locales/en/definition.json'

addTexts('definition', definition)
