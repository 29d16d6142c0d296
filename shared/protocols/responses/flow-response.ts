import { setImmediate } from 'node:timers/promises';
import { clientJson } from '../../core/json/exact-json.ts';
import { type Dispatch, executeFlowRun } from '../../execution/dispatch/execute-flow-run.ts';
import { openPorts } from '../../execution/open-ports.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { sendNumberedEvents } from '../../platform/http/responses/server-sent-events.ts';
import { streamBody } from '../../platform/http/responses/streamed-body.ts';
import { DispatchResult } from '../json/dispatch-result.ts';
import { readDispatchResult } from '../json/read-result.ts';
import { flowEvents } from '../run-events/flow-events.ts';
import { runScope } from './agent-response.ts';

/** All uses, because the flow decides which services a run calls. */
export const executionScope = using(
  [openPorts, runScope, 'table:write', 'table:delete', 'payloads:read', 'payloads:write', 'queue:wakes'],
  (all: Scope) => all,
);

type Run = Omit<Dispatch, 'callerSignal' | 'showsProgress'>;

/** Executes a run while it responds: with its events, or with one JSON body at the end. */
export function dispatchResponse(scope: Scope, run: Run, isStreamed: boolean) {
  if (isStreamed) {
    return sendNumberedEvents((callerSignal) =>
      flowEvents(executeFlowRun(scope, { ...run, callerSignal, showsProgress: true })),
    );
  }
  return streamBody({
    contentType: 'application/json',
    keepAlive: ' ',
    writeBody: async (write, callerSignal) => {
      const events = executeFlowRun(scope, { ...run, callerSignal, showsProgress: false });
      for (const piece of jsonPieces(DispatchResult.parse(await readDispatchResult(events)))) {
        await write(piece);
        if (piece.length > largePiece) await setImmediate();
      }
    },
  });
}

/** Results have up to 100 MB, which in one text would hold up other requests, and stay in memory for a slow reader. */
const largePiece = 50_000;

function* jsonPieces(value: object): Generator<string> {
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    if (Array.isArray(member)) yield* itemPieces(member);
    else yield clientJson(member);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* itemPieces(items: readonly unknown[]): Generator<string> {
  for (const [index, item] of items.entries()) yield `${index === 0 ? '[' : ','}${clientJson(item)}`;
  yield items.length === 0 ? '[]' : ']';
}
