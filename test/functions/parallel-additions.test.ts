import { expect, test } from 'vitest';
import { endpoints } from '../../functions/index.ts';
import { addAtOnce, additions } from './additions.ts';

/** What answers 201 without adding to something that requests share. */
const others = ['client-chat.feedback', 'records.upload-csv', 'run-feedback.create'];

test('every POST that adds something is tried', () => {
  const adding = endpoints.flatMap(({ id, method, response }) =>
    method === 'POST' && response.kind === 'json' && 201 in response.bodies ? [id] : [],
  );
  expect([...Object.keys(additions), ...others].sort()).toEqual([...adding, 'tools.create'].sort());
});

test.each(Object.keys(additions))('%s: ten distinct children that are added at once all succeed', (id) =>
  addAtOnce(id, 10),
);
