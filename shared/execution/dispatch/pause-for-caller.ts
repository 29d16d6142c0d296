import { statusWrite } from '../../domain/runs/run-list.ts';
import { payloadWriter } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { callerDays, executionEntity, leaseChanges } from '../runs/execution.ts';
import { runVersions } from '../runs/run-versions.ts';
import type { LocalCall } from '../step-support/step-runner.ts';
import { suspendedRunExpiresAt } from './dispatch-recorder.ts';
import type { RunningDispatch } from './execute-flow-run.ts';

/** Stores what the run needs to continue when the caller sends the output of a tool. @returns the id of the tool call. */
export async function pauseForCaller(
  scope: Scope,
  running: RunningDispatch,
  call: LocalCall,
): Promise<string> {
  const { prepared, body, execution } = running;
  const { version, record, persistResults } = prepared;
  const { table, now } = scope;
  const toolCallId = scope.newId('call');
  await runVersions(scope).keep(version, persistResults ? undefined : suspendedRunExpiresAt(scope));
  const { inputs, messages, options } = body;
  const given = { inputs, messages, ...(record && !record.id && { record }) };
  const input = await payloadWriter(scope).offload(`executions/${execution.id}/${toolCallId}`, given);
  const paused = {
    toolCallId,
    toolName: call.toolName,
    flowVersionId: version.id,
    ...(version.subFlows && { subFlows: version.subFlows }),
    input,
    appendsMetadata: options.autoAppendMetadata,
    debugMode: options.debugMode,
    permissions: [...running.permissions],
  };
  const { set, index } = leaseChanges(
    execution,
    new Date(now().getTime() + callerDays * 86_400_000).toISOString(),
  );
  // The checkpoint that suspended the run has created the item.
  await table.commit([
    table.writes.update(
      executionEntity,
      execution,
      { set: { ...set, paused }, index },
      { expression: 'attribute_exists(PK)' },
    ),
    statusWrite(scope, execution, 'paused'),
  ]);
  return toolCallId;
}
