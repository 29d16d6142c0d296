import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { newTenant } from '../../support/stack/stack.ts';

async function upload(text: string) {
  const { call } = await newTenant();
  const body = new FormData();
  body.append('file', new File([text], 'upload.csv', { type: 'text/csv' }));
  body.append('typeValue', 'thing');
  return expectStatus(201, call('POST', '/v1/records/upload-csv', { body }));
}

test('10,000 rows below a separator line are accepted', async () => {
  const rows = Array.from({ length: 10_000 }, (_, n) => `row ${n};${n}\r\n`);
  expect(await upload(`sep=;\r\nname;n\r\n${rows.join('')}`)).toMatchObject({ created: 10_000, errors: 0 });
});

test('a file that fills the maximum body size is accepted', async () => {
  const rows = Array.from({ length: 44 }, (_, n) => `row ${n};${'x'.repeat(100_000)}\n`);
  expect(await upload(`name;text\n${rows.join('')}`)).toMatchObject({ created: 44, errors: 0 });
});
