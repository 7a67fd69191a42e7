import type { Environment } from '../../../contract/common/environments.ts'
import { typeOfStatus } from '../../models/protocol/failure.ts'

/** Providers under the names of conventions, whose API is that of a provider of this service. */
const providers: Readonly<Record<string, string>> = {
  anthropic: 'claude',
  google: 'gemini',
  gemini: 'gemini',
  'gcp.gemini': 'gemini',
  'gcp.gen_ai': 'gemini',
  'google.generative-ai': 'gemini',
  google_genai: 'gemini',
  google_generativeai: 'gemini',
}

/**
 * Returns the name of a provider in this service, by which prices are found. The AI SDK appends the API, as in
 * `openai.responses`.
 */
export function providerOf(name: string): string {
  const lower = name.toLowerCase()
  const base = lower.replace(/\.(?:chat|responses|completion|messages|embedding|image)$/, '')
  return providers[lower] ?? providers[base] ?? base
}

/** The providers that programs call, where their events do not name them. */
export const programProviders = { claudeCode: 'claude', codex: 'openai' } as const

/** Providers of this service whose name in the conventions differs. */
const conventionNames: Readonly<Record<string, string>> = { claude: 'anthropic', gemini: 'gcp.gemini' }
export const conventionName = (provider: string): string => conventionNames[provider] ?? provider

const environments: Readonly<Record<string, Environment>> = {
  prod: 'prod',
  production: 'prod',
  live: 'prod',
  test: 'test',
  testing: 'test',
  qa: 'test',
  stage: 'test',
  staging: 'test',
  dev: 'dev',
  development: 'dev',
  local: 'dev',
}

/** Returns the environment of a deployment; null if its name is not known. */
export const environmentOf = (name: string): Environment | null => environments[name.toLowerCase()] ?? null

/** Returns the error type in the form of the run log. Conventions use HTTP statuses too: `429` is `rate_limited`. */
export function errorTypeOf(name: string): string {
  if (/^[1-5]\d\d$/.test(name)) return typeOfStatus(Number(name))
  const type = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.-]+/g, '_')
    .slice(0, 64)
  return /^[a-z]/.test(type) ? type : 'error'
}
