// @ts-check

/** @param {string} digits @param {number} zero The code point of the digit 0. */
const inDigits = (digits, zero) =>
  digits.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
const circled = (/** @type {string} */ digits) =>
  digits.replace(/\d/g, (digit) => (digit === '0' ? '⓪' : String.fromCodePoint(0x245f + Number(digit))))

/**
 * Returns all notations of an IPv4 address as the host of a URL.
 * @param {string} dotted @returns {string[]}
 */
export function spellingsOf(dotted) {
  const parts = dotted.split('.').map(Number)
  const [a = 0, b = 0, c = 0, d = 0] = parts
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = whole.toString(16).padStart(8, '0')
  return [
    ...numbersOf(dotted, parts, whole, hex),
    ...mappedIPv6(dotted, `${hex.slice(0, 4)}:${hex.slice(4)}`),
    ...inOtherScripts(dotted),
    ...withText(dotted),
  ]
}

/** @param {string} dotted @param {readonly number[]} parts @param {number} whole @param {string} hex */
function numbersOf(dotted, parts, whole, hex) {
  const [a = 0, b = 0, c = 0, d = 0] = parts
  const octal = (/** @type {number} */ part) => `0${part.toString(8)}`
  return [
    dotted,
    `${dotted}.`,
    `${dotted}..`,
    // Decimal, hexadecimal and octal; as one number, per part, mixed.
    String(whole),
    `${whole}.`,
    `0x${hex}`,
    `0X${hex.toUpperCase()}`,
    `0x00000000${hex}`,
    octal(whole),
    `000${octal(whole)}`,
    parts.map((part) => `0x${part.toString(16)}`).join('.'),
    parts.map(octal).join('.'),
    parts.map((part) => `0000${octal(part)}`).join('.'),
    `0x${a.toString(16)}.${octal(b)}.${c}.${d}`,
    // Short forms.
    `${a}.${whole % 2 ** 24}`,
    `${a}.${b}.${whole % 2 ** 16}`,
    `0x${a.toString(16)}.${octal(whole % 2 ** 24)}`,
    // Too large for 32 bits.
    String(whole + 2 ** 32),
    `${a}.${b}.${c}.${d + 256}`,
  ]
}

/** @param {string} dotted @param {string} groups */
const mappedIPv6 = (dotted, groups) => [
  `[::ffff:${dotted}]`,
  `[::FFFF:${groups}]`,
  `[0:0:0:0:0:ffff:${groups}]`,
  `[0000:0000:0000:0000:0000:ffff:${groups}]`,
  `[::${dotted}]`,
  `[::${groups}]`,
  `[::ffff:0:${dotted}]`,
  `[64:ff9b::${dotted}]`,
  `[64:ff9b:1::${dotted}]`,
  `[2002:${groups}::]`,
  `[2001:0:${groups}::1]`,
  `[fe80::5efe:${dotted}]`,
  `[::ffff:${dotted}%25eth0]`,
]

/** Returns the address with digits or full stops of other scripts, or ignored characters. @param {string} dotted */
const inOtherScripts = (dotted) => [
  inDigits(dotted, 0xff10),
  inDigits(dotted, 0x1d7ce),
  inDigits(dotted, 0x1d7f6),
  inDigits(dotted, 0x660),
  circled(dotted),
  dotted.replaceAll('.', '。'),
  dotted.replaceAll('.', '．'),
  dotted.replaceAll('.', '｡'),
  dotted.replace('.', '\u00ad.'),
  dotted.replace('.', '.\u200b'),
  dotted.replace('.', '.\t'),
  dotted.replace('.', '\n.'),
  [...dotted].map((character) => `%${character.charCodeAt(0).toString(16)}`).join(''),
]

/** Returns the address with text before or after it. @param {string} dotted */
const withText = (dotted) => [
  `user@${dotted}`,
  `user:secret@${dotted}`,
  `public.example@${dotted}`,
  `public.example%40${dotted}`,
  `public.example\\@${dotted}`,
  `${dotted}\\@public.example`,
  `${dotted}#@public.example`,
  `${dotted}?@public.example`,
  `${dotted}%2f@public.example`,
  `${dotted}%00.public.example`,
  `${dotted}:443`,
  `${dotted}:0443`,
  `${dotted}:80`,
  `public.example:443@${dotted}`,
  ` ${dotted}`,
  `/${dotted}`,
  `\\${dotted}`,
]

/** Names and IPv6 addresses of internal hosts. */
export const internalNames = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'localhost..',
  'ｌocalhost',
  'local\u00adhost',
  '%6cocalhost',
  'a.localhost',
  '[::1]',
  '[::]',
  '[::1%25lo]',
  '[::1%lo]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[fe80::1]',
  '[fe80::1%25eth0]',
  '[fe80::1%eth0]',
  '[fd00:ec2::254]',
  '[fc00::1]',
  '[ff02::1]',
  '[fec0::1]',
  '0',
  '0.0.0.0',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  'metadata',
  'metadata.google.internal',
  'METADATA.GOOGLE.INTERNAL.',
  'ｍetadata.google.internal',
  'instance-data.ec2.internal',
]

/** Foreign hosts, as values of the `Host` header. @param {string} port */
export const foreignHosts = (port) => [
  'evil.example',
  'evil.example.',
  `evil.example:${port}`,
  `127.0.0.1.evil.example:${port}`,
  'localhost.evil.example',
  'evil.localhost.example',
  '127.0.0.1@evil.example',
  'evil.example#127.0.0.1',
  'evil.example/127.0.0.1',
  'evil.example?127.0.0.1',
  'evil.example\\127.0.0.1',
  '[::1].evil.example',
  '[::1]evil.example',
  'localhost evil',
  'localhost\tevil',
  '127.0.0.1,evil.example',
  '10.0.0.1',
  '10.1',
  '167772161',
  '0xa000001',
  '012.0.0.1',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '192.168.1.1:80',
  'xn--lcalhost-v4a',
  'locаlhost',
  '①⑦②.16.0.1',
  '127.0.0.1.nip.io',
  'localhost\\@evil',
  '%6c%6f',
  'a'.repeat(300),
  `0x7f000001.evil:${port}`,
  '[::ffff:10.0.0.1]',
  '[::ffff:a00:1]',
  '[64:ff9b::a00:1]',
  '[fe80::1]',
  '[fe80::1%25eth0]',
  ':',
  `:${port}`,
  '[',
  '[::1',
  ']',
  '::1]',
  `user:pass@127.0.0.1:${port}`,
  `127.0.0.1:${port}:${port}`,
  '127.0.0.1:999999',
  '127.0.0.1:-1',
  `http://127.0.0.1:${port}`,
]

/** Disallowed origins. */
export const foreignOrigins = [
  'null',
  'NULL',
  'https://evil.example',
  'https://evil.example.',
  'http://localhost.evil.example',
  'http://127.0.0.1.evil.example',
  'http://evil.example:4780',
  'http://evil.example#http://localhost',
  'file://',
  'chrome-extension://x',
  'vscode-webview://x',
  'http://127.0.0.1:1',
  'http://127.1:1',
  'http://2130706433:1',
  'http://0x7f000001:1',
  'http://0177.0.0.1:1',
  'http://[::1]:9',
  'http://[::ffff:127.0.0.1]:9',
  'http://①②⑦.0.0.1:1',
  '*',
  '',
  'http://user@127.0.0.1',
  'http://127.0.0.1@evil.example',
  'HTTP://EVIL',
  'data:',
  'blob:http://127.0.0.1',
  'http://localhost%00.evil',
  'http://LOCALHOST.',
  'http://localhost, https://evil.example',
]
