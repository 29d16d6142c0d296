import { notFound } from '../../core/errors/errors.ts';
import type { AgentContent } from '../../domain/agents/config/agent.ts';
import { using } from '../../platform/aws/uses.ts';
import { payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { FactOf, RequestedCall } from '../agent-loop/facts.ts';
import type { AgentExecution } from './agent-execution.ts';
import type { RunInput } from './agent-input.ts';
import { type LoadedRun, loadWholeRun, runLogReader } from './run-log.ts';

export interface CallDetails {
  call: RequestedCall;
  turn: FactOf<'turn'>;
  result: FactOf<'result'> | undefined;
  decision: FactOf<'decision'> | undefined;
}

/** What can be read of single executions. Every one is of the agent, or runs inside of one of its executions. */
export const executionDetails = /* @__PURE__ */ using(
  ['table:read', payloadReader, runLogReader],
  (scope: Scope) => {
    async function loadOfAgent(agentId: string, executionId: string): Promise<LoadedRun> {
      const run = await loadWholeRun(scope, executionId);
      assertOfAgent(agentId, run.execution);
      return run;
    }

    return {
      /** @throws 404 */
      load: loadOfAgent,

      messages: async ({ input }: AgentExecution) =>
        ((await payloadReader(scope).fetch(input)) as RunInput).messages,

      /** What runs; null if that is a version. */
      async spec({ spec }: AgentExecution): Promise<Pick<AgentContent, 'config' | 'capabilities'> | null> {
        if (!spec) return null;
        const { config, capabilities } = (await payloadReader(scope).fetch(spec)) as AgentContent;
        return { config, capabilities };
      },

      /** The tool calls of a run, oldest first. @throws 404 */
      calls: async (agentId: string, executionId: string) =>
        listCalls(await loadOfAgent(agentId, executionId)),
    };
  },
);

/** @throws 404 if the execution belongs to another agent. */
export function assertOfAgent(id: string, { agentId, rootAgentId }: AgentExecution): void {
  if (agentId !== id && rootAgentId !== id) throw notFound('Execution');
}

function listCalls({ log }: LoadedRun): CallDetails[] {
  const facts = log.map(({ fact }) => fact);
  const results = new Map(facts.flatMap((fact) => (fact.type === 'result' ? [[fact.callId, fact]] : [])));
  const decisions = new Map(facts.flatMap((fact) => (fact.type === 'decision' ? [[fact.callId, fact]] : [])));
  return facts.flatMap((fact) =>
    fact.type === 'turn'
      ? fact.calls.map((call) => ({
          call,
          turn: fact,
          result: results.get(call.id),
          decision: decisions.get(call.id),
        }))
      : [],
  );
}
