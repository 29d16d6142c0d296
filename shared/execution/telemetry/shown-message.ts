import { createRedactor } from '../../core/redaction/redactor.ts';
import { truncate } from '../../core/text.ts';
import type { Collector } from '../../domain/telemetry/collector.ts';
import { secretLengthMin } from '../../domain/telemetry/header-secrets.ts';

const charactersMax = 500;

/** What a collector says, for people: without the values of its headers, which it may repeat. */
export function shownMessage(text: string, { headers }: Pick<Collector, 'headers'>): string {
  const values = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]);
  const secrets = values.filter((value) => value.trim().length >= secretLengthMin);
  return truncate(createRedactor(secrets.map((value) => ['', value])).text(text), charactersMax);
}
