import { invalidAt, missingPermission } from '../../shared/core/errors/errors.ts';
import { agentExecutionEntity } from '../../shared/execution/agent-runs/agent-execution.ts';
import { answerWaits, type GivenAnswers } from '../../shared/execution/agent-runs/answer-run.ts';
import { resumeFlowRun } from '../../shared/execution/dispatch/resume.ts';
import { executionEntity } from '../../shared/execution/runs/execution.ts';
import { getFlowTimeMs } from '../../shared/execution/targets/front-policy.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { covers } from '../../shared/platform/identity/permissions.ts';
import type { Principal } from '../../shared/platform/identity/principal.ts';
import { dispatchResponse } from '../../shared/protocols/run-events/flow-response.ts';
import { answerResponse } from '../agent-runs/answer-response.ts';

interface Request {
  executionId: string;
  isStreamed: boolean;
  principal: Principal;
  requestId: string;
  timeLeftMs: () => number;
}

/** Continues a run of a flow or of an agent with what it waits for. @throws as `answer` and `resumeFlowRun` */
export async function continueRun(
  scope: Scope,
  { executionId, isStreamed, principal, requestId, timeLeftMs }: Request,
  answers: GivenAnswers,
) {
  const ofAgent = await scope.table.get(agentExecutionEntity, { id: executionId }, { consistent: true });
  if (ofAgent) {
    if (!covers(principal.permissions, 'AGENTS:EXECUTE')) throw missingPermission('AGENTS:EXECUTE');
    const answered = await answerWaits(scope, principal, { executionId }, answers);
    return answerResponse(scope, answered, { executionId, isStreamed, requestId });
  }
  const { decisions = [], messages = [], toolOutputs = {} } = answers;
  const unfit = decisions.length > 0 ? 'approvalId' : messages.length > 0 ? 'messages' : undefined;
  if (unfit) {
    await scope.table.find(executionEntity, { id: executionId });
    throw invalidAt(unfit, 'INVALID_VALUE', 'A run of a flow takes the output of a tool only');
  }
  const resumed = await resumeFlowRun(scope, principal, { executionId, toolOutputs });
  return dispatchResponse(scope, { ...resumed, requestId, timeMs: getFlowTimeMs(timeLeftMs()) }, isStreamed);
}
