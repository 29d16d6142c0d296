import type { OperationEvent, OperationResponse } from '../../../client/src/client.ts';
import { CliError } from '../cli-error.ts';
import type { CliSession } from '../session/session.ts';
import { print, printJson, printPart, showProgress } from '../terminal/output.ts';

type Event = OperationEvent<'dispatch.run'>;

/** A run that was not started yet, as its events or as its end. */
interface Startable {
  whole: () => Promise<OperationResponse<'dispatch.run'>>;
  events: () => AsyncIterable<Event>;
}

/** Starts a run, and prints its texts as they are written, or its output. Fails if the run does. */
export async function showRun({ isJson }: CliSession, { whole, events }: Startable): Promise<void> {
  if (isJson) {
    const result = await whole();
    if ('success' in result && !result.success) process.exitCode = 1;
    return printJson(result);
  }
  let hasText = false;
  for await (const event of events()) {
    if (event.type === 'step_start') showProgress(`${event.name}…`);
    else if (event.type === 'tool_start') showProgress(`calls ${event.toolName}…`);
    else if (event.type === 'text_delta') {
      if (!hasText) showProgress('');
      hasText = true;
      printPart(event.delta);
    } else if (event.type === 'text_complete' && hasText) printPart('\n');
    else if (isEnd(event)) return showEnd(event, hasText);
  }
  throw new CliError('The connection was cut before the run ended. See what became of it: agent-flow runs');
}

type End = Extract<Event, { type: 'execution_complete' | 'execution_error' | 'await' }>;
const isEnd = (event: Event): event is End =>
  event.type === 'execution_complete' || event.type === 'execution_error' || event.type === 'await';

function showEnd(end: End, hasText: boolean): void {
  showProgress('');
  if (end.type === 'execution_error') throw new CliError(end.error.message);
  if (end.type === 'await') {
    print(`The run waits. Follow it: agent-flow trace ${end.executionId}`);
    return;
  }
  if (!end.success) throw new CliError(`${end.error}. See where: agent-flow trace ${end.executionId}`);
  if (hasText || end.finalOutput === null || end.finalOutput === undefined) return;
  if (typeof end.finalOutput === 'string') print(end.finalOutput);
  else printJson(end.finalOutput);
}
