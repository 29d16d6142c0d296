import * as z from 'zod';
import {
  contents,
  hiddenValue,
  type TelemetrySetting,
} from '../../shared/domain/telemetry/telemetry-setting.ts';

/** A setting as responses show it, without the values of headers. */
export const TelemetryResponse = z
  .object({
    endpoint: z.string().meta({ description: 'The address of the collector, without `/v1/traces`' }),
    headers: z
      .record(z.string(), z.literal(hiddenValue))
      .meta({ description: `Sent with each request, by name. \`${hiddenValue}\` stands for each value` }),
    content: z.enum(contents).meta({
      description:
        '`none`: names, times, tokens and costs. `full`: also prompts, inputs, outputs and messages of errors',
    }),
    enabled: z.boolean().meta({ description: 'Whether runs that end are sent' }),
    sample: z.number().meta({ description: 'The part of the traces that is sent, 0 to 1: 0.1 is a tenth' }),
    createdAt: z.iso.datetime().meta({ description: 'When the tenant first set a collector, in UTC' }),
    updatedAt: z.iso.datetime().meta({ description: 'When it was last set, in UTC' }),
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
