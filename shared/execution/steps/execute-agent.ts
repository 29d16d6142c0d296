import { StepError } from '../../core/errors/step-error.ts';
import { executeAgentStep } from '../../domain/flows/step-types/execute-agent.ts';
import { defineStepRunner } from '../step-support/step-runner.ts';

export const executeAgent = defineStepRunner(executeAgentStep, {
  async run({ config: { agentId, message, timeoutMs }, render, ports, signal, emit }) {
    const task = (await render(message)).trim();
    if (!task) throw new StepError('The message is empty after its templates were rendered');
    await emit?.({ type: 'text_start' });
    // The readers of the run get the pieces as they come; nobody waits for them.
    const onText = emit && ((delta: string) => void emit({ type: 'text_delta', delta }));
    const { output, error } = await ports.agents.run({
      agent: agentId,
      message: task,
      timeoutMs,
      signal,
      ...(onText && { onText }),
    });
    if (error !== null) throw new StepError(`The agent failed: ${error}`);
    await emit?.({
      type: 'text_complete',
      text: typeof output === 'string' ? output : JSON.stringify(output),
    });
    return { output };
  },
});
