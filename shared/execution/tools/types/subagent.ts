import { StepError } from '../../../core/errors/step-error.ts';
import { subagentTool } from '../../../domain/tools/tool-types/subagent.ts';
import { defineToolRunner } from '../../tool-support/tool-runner.ts';

export const subagentToolRunner = defineToolRunner(subagentTool, {
  plan: ({ config: { agentId }, args }) => ({ request: { agentId, arguments: args }, agents: [agentId] }),
  async perform({ agentId: agent, arguments: args }, { ports, signal, callId }) {
    const message = typeof args.message === 'string' ? args.message : JSON.stringify(args);
    const { output, error, errorCode: code } = await ports.agents.run({ agent, message, callId, signal });
    if (error !== null) throw new StepError(error, { code });
    return { output };
  },
  // The run goes on from its last fact.
  repeatable: () => true,
});
