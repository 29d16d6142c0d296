/**
 * The telemetry setting of a tenant: what a request may send, how it is stored, and what processes keep of it.
 * The current setting and each of its versions are items of one partition. Values of headers are stored encrypted
 * (`header-secrets.ts`); a reference to a secret stays a reference, and the secret's key is noted beside its header.
 * `telemetry-store.ts` changes it, `telemetry-notice.ts` asks for it whenever a run ends, the exporter reads the version of then.
 */
import * as z from 'zod';
import { transportHeaders } from '../../adapters/net/sendable-headers.ts';
import { createBoundedMap } from '../../core/cache.ts';
import { hasSecretReference, secretKeysInTemplate } from '../../core/secret-references.ts';
import { trimTrailing } from '../../core/text.ts';
import { decodePath } from '../../platform/aws/s3.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { HeaderName } from '../flows/steps/http-config.ts';
import { TenantUrl } from '../model-configs/tenant-url.ts';

const headersMax = 20;
/** As many as KMS encrypts at once: a character of Latin-1 has two bytes at most. */
const headerLengthMax = 2_000;
/** What stands for the value of a header in responses, and in a request for the value that is stored. */
export const hiddenValue = '••••';

/** Of the body, which the exporter makes. */
const bodyHeaders = ['content-type', 'content-encoding'];
const ownHeaders: ReadonlySet<string> = new Set([...transportHeaders, ...bodyHeaders]);
export const telemetryReference = /\{\{\s*secret:\s*([A-Z][A-Z0-9_]{1,99})\s*\}\}/g;

/** A smaller part chooses no trace: in floating point it leaves nothing of 1. */
const sampleMin = 2 ** -53;

const HeaderValue = z
  .string()
  .min(1)
  .max(headerLengthMax)
  .refine((value) => value.trim() !== '', 'Expected a value that is not blank')
  .refine(
    (value) => value === hiddenValue || /^[\t -~\u00a0-\u00ff]*$/.test(value),
    'Expected printable characters of Latin-1 in one line',
  )
  .refine(
    (value) => !hasSecretReference(value.replace(telemetryReference, '')),
    'Expected {{secret:KEY}}, with a key of 2 to 100 capital letters, digits and _, without filters',
  )
  .meta({ format: 'password', writeOnly: true });

const TelemetryHeaders = z
  .record(HeaderName.max(100), HeaderValue)
  .refine((headers) => Object.keys(headers).length <= headersMax, `Expected at most ${headersMax} headers`)
  .refine(
    (headers) => {
      const names = Object.keys(headers).map((name) => name.toLowerCase());
      return new Set(names).size === names.length;
    },
    { error: 'Expected each header once: case does not matter' },
  )
  .superRefine((headers, context) => {
    for (const name of Object.keys(headers)) {
      if (!ownHeaders.has(name.toLowerCase())) continue;
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'The service or its HTTP client sets this header; leave it out',
      });
    }
  });

const Endpoint = TenantUrl.refine(
  (url) => !/\/v1\/traces$/.test(toPlainPath(url)),
  'Expected the address without /v1/traces, which the service appends',
);

/** However it is written: percent-encoded, or with more slashes. */
function toPlainPath(url: string): string {
  const { pathname } = new URL(url);
  return trimTrailing((decodePath(pathname) ?? pathname).replace(/\/{2,}/g, '/'), '/');
}

export const contents = ['none', 'full'] as const;

export const TelemetryBody = z.strictObject({
  endpoint: Endpoint.meta({
    description: 'Of an OTLP/HTTP collector. Spans are sent to `<endpoint>/v1/traces`',
  }),
  headers: TelemetryHeaders.default({}).meta({
    description: `Sent with each request. Values are never returned; \`{{secret:KEY}}\` in them is the value of a secret. \`${hiddenValue}\` leaves a value as it is, as long as scheme, host and port of \`endpoint\` stay`,
  }),
  content: z.enum(contents).default('none').meta({
    description: 'Whether spans contain prompts, inputs and outputs',
  }),
  enabled: z.boolean().default(true),
  sample: z
    .number()
    .min(0)
    .max(1)
    .overwrite((part) => (part < sampleMin ? 0 : part))
    .default(1)
    .meta({ description: 'The part of the traces that is sent, chosen by the trace id' }),
});
export type TelemetryBody = z.infer<typeof TelemetryBody>;

export const listValueSecretKeys = (value: string): string[] => [...new Set(secretKeysInTemplate(value))];

/** Where the runs of a tenant are sent. */
export const TelemetrySetting = z.object({
  /** Of this content: each change makes another version. */
  versionId: z.string(),
  endpoint: z.string(),
  /** By name, each encrypted. */
  headers: z.record(z.string(), z.string()),
  /** Of the secrets that headers name, by header. */
  secretKeysOf: z.record(z.string(), z.array(z.string())),
  content: z.enum(contents),
  enabled: z.boolean(),
  sample: z.number(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** Of a version that another one has replaced. */
  ttl: z.int().optional(),
});
export type TelemetrySetting = z.infer<typeof TelemetrySetting>;

const partition = tenantPartition('TELEMETRY');

/** Holds for runs that end from now on; in other processes, after `recentMs` at the latest (D292). */
export const telemetrySettingEntity = defineEntity({
  type: 'telemetrySetting',
  noun: 'telemetry setting',
  schema: TelemetrySetting,
  key: (_none: object) => ({ PK: partition, SK: 'CURRENT' }),
});

/** For the runs that ended while it was current. Never changes. */
export const telemetryVersionEntity = defineEntity({
  type: 'telemetryVersion',
  schema: TelemetrySetting,
  key: ({ versionId }: { versionId: string }) => ({ PK: partition, SK: versionId }),
});

const recentMs = 5_000;
const recent = createBoundedMap<Promise<TelemetrySetting | undefined>>({
  entriesMax: 1_000,
  ttlMs: recentMs,
});

/** Read once in a few seconds, since every run that ends asks for it. */
export function readRecentTelemetrySetting(table: TenantTable): Promise<TelemetrySetting | undefined> {
  const existing = recent.get(table.tenant);
  if (existing) return existing;
  const reading = table.get(telemetrySettingEntity, {});
  recent.set(table.tenant, reading);
  reading.catch(() => recent.delete(table.tenant));
  return reading;
}

/** After a change by this process. */
export const forgetRecentTelemetrySetting = ({ tenant }: TenantTable): void => void recent.delete(tenant);
