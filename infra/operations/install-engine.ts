import { prepareEngine } from '../local/dynamodb/engines.ts';
import { thisMachine } from '../local/dynamodb/machine.ts';
import { StartError } from '../local/runtime/start-error.ts';

/** Makes the DynamoDB engine ready before the first start, which an image or a machine without a network needs. */
try {
  const { command } = await prepareEngine(thisMachine, undefined);
  process.stdout.write(`${command}\n`);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
