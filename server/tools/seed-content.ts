import type { RunReport } from '../../contract/runs/run.ts'
import type { Random } from './seed-data.ts'

/** Frequent words first. */
const common =
  'the to and of a in for is you your that it on with this order was have not be are we can please from my at as customer invoice will has our if refund day or an delivery account but by so they about there which more email when number thank payment after been back could date days help information just like need new number other out request see send sent support team time today two up us very week would address answer bank billing box call cancel card change charge check city color company complete confirm contact contract credit damaged delay discount document double due error exchange fee file first form full gift goods instead item kind label last late letter line link list login lost mail message method missing month name next note offer online open option package page paid part password phone plan price problem product question reason receipt return same screen service shipping shop size stock street subscription tax term ticket total track transfer update upgrade use user version view voucher wait warranty water weight work wrong year'.split(
    ' ',
  )
const syllables = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu'.split(' ')
/** Number of rare words, such as names and codes. */
const rareWords = 20_000

function rareWord(number: number): string {
  let rest = number + 400
  let word = ''
  while (rest > 0) {
    word += syllables[rest % syllables.length]
    rest = Math.floor(rest / syllables.length)
  }
  return word
}

/** Returns a word: few are frequent and many are rare, as in a natural language. */
function wordOf(random: Random): string {
  if (random() < 0.06) return rareWord(Math.floor(random() ** 3 * rareWords))
  return common[Math.floor(random() ** 2.5 * common.length)] ?? 'the'
}

function sentenceOf(random: Random, words: number): string {
  const text = Array.from({ length: words }, () => wordOf(random)).join(' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

const textOf = (random: Random, sentences: number): string =>
  Array.from({ length: sentences }, () => sentenceOf(random, 6 + Math.floor(random() * 14))).join(' ')

/** Returns the input and output of a run, about 1 KB. */
export function seedContent(random: Random): Required<Pick<RunReport, 'input' | 'output'>> {
  const order = 100_000 + Math.floor(random() * 900_000)
  return {
    input: {
      messages: [
        { role: 'system', content: 'You answer the questions of customers of a shop. Be brief and polite.' },
        { role: 'user', content: `Order ${order}: ${textOf(random, 2 + Math.floor(random() * 5))}` },
      ],
    },
    output: textOf(random, 2 + Math.floor(random() * 6)),
  }
}
