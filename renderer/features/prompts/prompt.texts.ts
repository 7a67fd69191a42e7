import '../../shared/models/model.texts.ts'
import '../../shared/runs/latestRuns.texts.ts'
import { addTexts } from '../../lib/i18n.ts'
import prompt from '../../locales/en/prompt.json'

addTexts('prompt', prompt)
