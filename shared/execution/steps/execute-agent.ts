import { StepError } from '../../core/errors/step-error.ts';
import { executeAgentStep } from '../../domain/flows/step-types/execute-agent.ts';
import { defineActingRunner } from '../step-support/step-runner.ts';

export const executeAgentRunner = defineActingRunner(executeAgentStep, {
  async plan({ config: { agentId, message }, render }) {
    const task = (await render(message)).trim();
    if (!task) throw new StepError('The message is empty after its templates were rendered');
    return { request: { agent: agentId, message: task }, agents: [agentId] };
  },

  async perform(request, { config: { timeoutMs }, ports, signal, emit }) {
    await emit?.({ type: 'text_start' });
    // The readers of the run get the pieces as they come; nobody waits for them.
    const onText = emit && ((delta: string) => void emit({ type: 'text_delta', delta }));
    const {
      output,
      error,
      errorCode: code,
    } = await ports.agents.run({
      ...request,
      timeoutMs,
      signal,
      ...(onText && { onText }),
    });
    if (error !== null) throw new StepError(`The agent failed: ${error}`, { code });
    await emit?.({
      type: 'text_complete',
      text: typeof output === 'string' ? output : JSON.stringify(output),
    });
    return { output };
  },
});
