import { providerKeys } from '../../adapters/models/providers/provider-keys.ts';
import { trimTrailing } from '../../core/text.ts';
import { soleSecretReference } from '../../core/variables/secret-references.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { secretValues } from '../secrets/secret-values.ts';
import { headerOpener } from './header-secrets.ts';
import { toDeployment } from './run-export.ts';
import { type TelemetrySetting, telemetryReference, telemetryVersionEntity } from './telemetry-setting.ts';

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

const toTracesUrl = (endpoint: string) => `${trimTrailing(endpoint, '/')}/v1/traces`;

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

/** That of the deployment, which OpenTelemetry's variables name. Undefined if there is none. */
async function findDeploymentCollector(): Promise<Collector | undefined> {
  const endpoint = process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!endpoint) return undefined;
  const { OTEL_EXPORTER_OTLP_HEADERS: headers = '' } = await providerKeys();
  return {
    url: toTracesUrl(endpoint),
    headers: parseHeaders(headers),
    content: 'none',
    sample: 1,
    isOperators: true,
  };
}

/** `name=value,name=value`, percent-encoded (W3C Baggage), as OpenTelemetry defines the variable. */
const parseHeaders = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const [name = '', ...value] = pair.split('=');
      return name.trim() === '' ? [] : [[decodeText(name.trim()), decodeText(value.join('=').trim())]];
    }),
  );

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The collector that an export names. @returns undefined if it is no more */
export const collectors = /* @__PURE__ */ using(
  ['table:read', collectorOfSetting, 'deployment-collector', 'provider-keys'],
  (scope: Scope) =>
    async (to: string): Promise<Collector | undefined> => {
      if (to === toDeployment) return findDeploymentCollector();
      const setting = await scope.table.get(telemetryVersionEntity, { versionId: to });
      return setting && collectorOfSetting(scope)(setting);
    },
);
