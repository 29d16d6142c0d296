import { expect } from 'vitest';
import { eventually } from '../stack/eventually.ts';
import type { Tenant } from '../stack/stack.ts';

export interface ImportOptions {
  fileName?: string;
  [setting: string]: unknown;
}

/** Creates an import and sends its file. @returns its id */
export async function upload(
  { call }: Pick<Tenant, 'call'>,
  file: string | Uint8Array,
  { fileName = 'data.csv', ...settings }: ImportOptions = {},
): Promise<string> {
  const source = { upload: { fileName } };
  const body = { source, ...(settings.typeColumn === undefined && { type: 'place' }), ...settings };
  const created = await call('POST', '/v1/imports', { body });
  expect(created.body).toMatchObject({ status: 'awaiting-upload' });
  const { url, method, headers } = created.body.upload;
  const sent = await fetch(url, { method, headers, body: file as string });
  expect(sent.status).toBe(200);
  return created.body.id;
}

/** Starts it. @returns what it is at its end */
export async function finish({ call }: Pick<Tenant, 'call'>, id: string, timeout?: number) {
  const started = await call('POST', `/v1/imports/${id}/start`, { body: {} });
  expect(started).toMatchObject({ status: 202, body: { status: 'queued' } });
  return ended({ call }, id, timeout);
}

const ended = ({ call }: Pick<Tenant, 'call'>, id: string, timeout?: number) =>
  eventually(
    async () => {
      const { body } = await call('GET', `/v1/imports/${id}`);
      expect(['completed', 'failed', 'cancelled']).toContain(body.status);
      return body;
    },
    ...((timeout ? [timeout] : []) as never[]),
  );

export async function importFile(
  tenant: Pick<Tenant, 'call'>,
  file: string | Uint8Array,
  options?: ImportOptions,
) {
  const id = await upload(tenant, file, options);
  return finish(tenant, id);
}

/** All records of a tenant, the first one first. */
export async function allRecords({ call }: Pick<Tenant, 'call'>, query = '') {
  const { body } = await call('GET', `/v1/records?limit=100${query}`);
  return body.data
    .toReversed()
    .map(({ name, type, metadata }: Record<string, unknown>) => ({ name, type, metadata }));
}

/** @returns the export at its end, and its file */
export async function exportFile({ call }: Pick<Tenant, 'call'>, body: object) {
  const created = await call('POST', '/v1/exports', { body });
  expect(created).toMatchObject({ status: 202, body: { status: 'queued' } });
  const done = await eventually(async () => {
    const answer = await call('GET', `/v1/exports/${created.body.id}`);
    expect(['completed', 'failed']).toContain(answer.body.status);
    return answer.body;
  });
  expect(done.error).toBe(null);
  const response = await fetch(done.url);
  expect(response.status).toBe(200);
  return { done, bytes: Buffer.from(await response.arrayBuffer()) };
}
