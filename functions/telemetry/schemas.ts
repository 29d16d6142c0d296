import * as z from 'zod';
import { contents, hiddenValue } from '../../shared/domain/telemetry/telemetry-body.ts';
import type { TelemetrySetting } from '../../shared/domain/telemetry/telemetry-setting.ts';

/** A setting as responses show it, without the values of headers. */
export const TelemetryResponse = z
  .object({
    endpoint: z.string(),
    headers: z.record(z.string(), z.literal(hiddenValue)),
    content: z.enum(contents),
    enabled: z.boolean(),
    sample: z.number(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({
    id: 'Telemetry',
    examples: [
      {
        endpoint: 'https://otlp.example.com',
        headers: { 'x-api-key': hiddenValue },
        content: 'none',
        enabled: true,
        sample: 1,
        createdAt: '2026-11-26T09:30:00.000Z',
        updatedAt: '2026-11-26T09:30:00.000Z',
      },
    ],
  });

export const toTelemetryResponse = (setting: TelemetrySetting) => {
  const { versionId: _id, secretKeysOf: _keys, ttl: _ttl, headers, ...shown } = setting;
  const names = Object.keys(headers).map((name) => [name, hiddenValue] as const);
  return { ...shown, headers: Object.fromEntries(names) };
};
