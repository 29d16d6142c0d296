import { expect } from 'vitest';
import { recordStore } from '../../../shared/domain/records/record-store.ts';
import { countingRuntime, newTenant, type Tenant } from '../stack/stack.ts';

/** Uploads rows as records, whose names are in the column "name". @returns their ids by their names. */
export async function uploadRows(tenant: Tenant, type: string, rows: readonly Record<string, unknown>[]) {
  const header = Object.keys(rows[0] ?? {});
  const lines = [header, ...rows.map((row) => header.map((column) => row[column]))];
  const body = new FormData();
  body.append('file', new File([lines.map((cells) => cells.join(',')).join('\n')], 'rows.csv'));
  body.append('typeValue', type);
  const answer = await tenant.call('POST', '/v1/records/upload-csv', { body });
  expect(answer).toMatchObject({ status: 201, body: { created: rows.length } });
  return new Map<string, string>(
    answer.body.records.map(({ id, name }: { id: string; name: string }) => [name, id]),
  );
}

/** Creates a record. @returns it. */
export async function newRecord(tenant: Tenant, record: { type?: string; name: string; metadata?: unknown }) {
  const answer = await tenant.call('POST', '/v1/records', { body: { type: 'a', ...record } });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
}

export interface SentRecord {
  type: string;
  name: string;
  metadata: Record<string, unknown>;
}

/** A tenant with these records, written past the API; the last one is the newest. */
export async function withRecords(drafts: readonly SentRecord[]): Promise<Tenant> {
  const tenant = await newTenant();
  const { createMany } = recordStore(countingRuntime().scopeOf(tenant.tenant));
  const { userId, organizationId } = tenant;
  await createMany(
    { userId, organizationId },
    drafts.map((draft) => ({ ...draft, messages: null })),
  );
  return tenant;
}
