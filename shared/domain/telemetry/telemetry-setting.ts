import * as z from 'zod';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { contents } from './telemetry-body.ts';

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

/** Holds for runs that end from now on. */
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
