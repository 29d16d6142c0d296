import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import * as z from 'zod';
import { writePrivately } from '../local/runtime/state-files.ts';
import { OperationError, printNote, runOperation } from './deployment/operation.ts';
import { Backup, restoreObject, restoreTable, takeBackup } from './restore/backup.ts';
import { checkTable, tableProblems } from './restore/check-table.ts';
import {
  changeData,
  createData,
  DrillData,
  firstValue,
  readData,
  secretValueIn,
} from './restore/drill-data.ts';
import { startEmbedded } from './restore/embedded-stack.ts';

const usage = `npm run restore-drill [-- --directory <path>]
Without --directory, it uses a temporary one and removes it. With it, run it again after an interruption: it goes on.`;

/** What the drill has to know after an interruption: the moment to restore, and what the API returned then. */
const Moment = z.object({ backup: Backup, data: DrillData, answers: z.record(z.string(), z.unknown()) });
type Moment = z.infer<typeof Moment>;

const restoredTable = 'restored';

/** Restores a table and its payloads to a moment, starts a stack on it, and compares what it returns. */
async function drill(): Promise<void> {
  const chosenDirectory = directoryOption();
  const directory =
    chosenDirectory === undefined ? mkdtempSync(join(tmpdir(), 'restore-drill-')) : resolve(chosenDirectory);
  const stackDirectory = join(directory, 'stack');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  printNote(`The drill works in ${directory}`);
  const moment = await restoredMoment(directory, stackDirectory);
  await adopt(moment, stackDirectory);
  if (chosenDirectory === undefined) rmSync(directory, { recursive: true, force: true });
}

function directoryOption(): string | undefined {
  try {
    return parseArgs({ options: { directory: { type: 'string' } } }).values.directory;
  } catch (error) {
    throw new OperationError(`${(error as Error).message}\nUsage: ${usage}`);
  }
}

async function restoredMoment(directory: string, stackDirectory: string): Promise<Moment> {
  const file = join(directory, 'moment.json');
  // Without the backup, the data of an interrupted attempt is of no use.
  if (!existsSync(file)) rmSync(stackDirectory, { recursive: true, force: true });
  const { facts, stop } = await startEmbedded(stackDirectory);
  try {
    if (!existsSync(file)) {
      const data = await createData(facts);
      const answers = await readData(facts, data);
      const backup = await takeBackup(facts.table);
      writePrivately(file, JSON.stringify({ backup, data, answers } satisfies Moment));
    }
    const moment = Moment.parse(JSON.parse(readFileSync(file, 'utf8')));
    const { backup, data } = moment;
    const pointers = Object.keys(backup.objects);
    printNote(`The moment is ${backup.takenAt}: ${backup.items.length} items, ${pointers.length} payloads.`);
    // Once the restore has begun, the payloads are back: nothing may delete them again.
    const begun = join(directory, 'restore-begun');
    if (!existsSync(begun)) {
      await changeData(facts, data, pointers);
      printNote(
        'After it, the flow was deleted with its payloads, and records, the secret and the key were changed.',
      );
      writePrivately(begun, '');
    }
    await restoreTable(backup, restoredTable, (written) =>
      printNote(`Restored ${written} of ${backup.items.length} items`),
    );
    const check = await checkTable(restoredTable, (pointer) => restoreObject(backup, pointer));
    if (check.missing.length > 0) throw new OperationError(`The backup lacks ${check.missing.join(', ')}`);
    const restored = Object.values(check.items).reduce((sum, count) => sum + count, 0);
    if (restored !== backup.items.length)
      throw new OperationError(`The table has ${restored} of ${backup.items.length} items`);
    return moment;
  } finally {
    await stop();
  }
}

/** Starts a stack on the restored table, as a deployment with `-c tableName=` does. @throws OperationError */
async function adopt({ backup, data, answers }: Moment, stackDirectory: string): Promise<void> {
  const check = await startEmbedded(stackDirectory, restoredTable).then(async ({ facts, stop }) => {
    try {
      const now: Record<string, unknown> = JSON.parse(JSON.stringify(await readData(facts, data)));
      const changed = Object.keys(answers).filter((name) => !isDeepStrictEqual(now[name], answers[name]));
      if (changed.length > 0) throw new OperationError(`The API returns other ${changed.join(', ')}`);
      if ((await secretValueIn(restoredTable)) !== firstValue)
        throw new OperationError('The value of the secret that the restored item names is gone');
      return await checkTable(restoredTable);
    } finally {
      await stop();
    }
  });
  const problems = tableProblems(check);
  if (problems.length > 0) throw new OperationError(problems.join('; '));
  process.stdout.write(`${JSON.stringify(check, undefined, 2)}\n`);
  printNote(
    `Restored to ${backup.takenAt}: all ${check.pointers} payloads and ${check.keys} API keys are there, and the API returns what it returned then (${Object.keys(answers).length} requests).`,
  );
}

await runOperation(drill);
