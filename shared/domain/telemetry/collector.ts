import { soleSecretReference } from '../../core/secret-references.ts';
import { trimTrailing } from '../../core/text.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { secretValues } from '../secrets/secret-values.ts';
import { headerOpener } from './header-secrets.ts';
import { type TelemetrySetting, telemetryReference } from './telemetry-setting.ts';

/** Where to send spans, and which. Never store or return it: it has the values of headers. */
export interface Collector {
  url: string;
  headers: Record<string, string>;
  content: 'none' | 'full';
  sample: number;
  /** Whether the operator has set it, who may name a private address. */
  isOperators: boolean;
}

/** A secret that a header names has no value. It may get one. */
export class MissingSecret extends Error {}

export const toTracesUrl = (endpoint: string) => `${trimTrailing(endpoint, '/')}/v1/traces`;

export const collectorOfSetting = /* @__PURE__ */ using([headerOpener, secretValues], (scope: Scope) => {
  const open = headerOpener(scope);
  return async (setting: TelemetrySetting): Promise<Collector> => {
    const keys = [...new Set(Object.values(setting.secretKeysOf).flat())];
    const [secrets, opened] = await Promise.all([
      keys.length > 0 ? secretValues(scope)(keys) : new Map<string, string>(),
      Promise.all(
        Object.entries(setting.headers).map(async ([name, sealed]) => [name, await open(sealed)] as const),
      ),
    ]);
    const headers = opened.map(([name, value]) => [name, insertSecrets(value, secrets)]);
    const { endpoint, content, sample } = setting;
    return {
      url: toTracesUrl(endpoint),
      headers: Object.fromEntries(headers),
      content,
      sample,
      isOperators: false,
    };
  };
});

const insertSecrets = (text: string, secrets: ReadonlyMap<string, string>): string =>
  text.replace(telemetryReference, (reference) => {
    const key = soleSecretReference(reference) ?? '';
    const value = secrets.get(key);
    if (value === undefined) throw new MissingSecret(`The secret ${key} has no value`);
    return value;
  });
