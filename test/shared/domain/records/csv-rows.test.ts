import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { streamRows } from '../../../../shared/domain/records/csv/parse-csv.ts';

test('a reader may leave after any row, also when the whole file has been parsed', async () => {
  const uncaught: Error[] = [];
  const monitor = (error: Error) => uncaught.push(error);
  process.on('uncaughtExceptionMonitor', monitor);
  onTestFinished(() => void process.off('uncaughtExceptionMonitor', monitor));
  const file = Buffer.from(Array.from({ length: 60 }, (_, row) => `row ${row}\n`).join(''));
  for (let rows = 1; rows <= 60; rows++) {
    const reader = streamRows(file, ',');
    for (let row = 0; row < rows; row++) expect((await reader.next()).value?.cells).toEqual([`row ${row}`]);
    await setImmediate();
    await reader.return(undefined);
    await setImmediate();
  }
  expect(uncaught).toEqual([]);
});
